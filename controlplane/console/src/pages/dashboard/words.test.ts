import { expect, test } from "vitest";
import { greeting, hours, marks, openTasksText } from "./words";

test("somebody is greeted by their first name, if they have one", () => {
  expect(greeting("Mara Lindqvist", 9)).toBe("Good morning, Mara");
  expect(greeting("admin@demo.example", 12)).toBe("Good afternoon");
  expect(greeting("", 23)).toBe("Good evening");
  expect(greeting("", 2)).toBe("Good evening");
});

test("what needs somebody is one sentence", () => {
  const quiet = { inbox: { open: 0, overdue: 0, due_soon: 0 }, provisioning: { failed: 0 } };
  expect(openTasksText(quiet)).toBe("No open tasks.");
  const fresh = {
    complete: false,
    system_connected: false,
    first_sync_done: false,
    reachable: false,
    pack_installed: false,
    somebody_invited: false,
  };
  expect(openTasksText({ ...quiet, checklist: fresh as never })).toBe(
    "No systems are connected yet. Start with the source system of your people.",
  );
  expect(openTasksText({ ...quiet, inbox: { open: 1, overdue: 1, due_soon: 0 }, held: { total: 2, items: [] } })).toBe(
    "1 decision waits for you, 1 overdue; 2 syncs are held.",
  );
});

test("runs lie where they were on the time that is shown", () => {
  const run = { connector_id: "c", connector_name: "C", trigger: "api", mode: "apply" as const, created_at: "2026-01-01T11:00:00Z" };
  const at = (h: number) => `2026-01-01T${String(h).padStart(2, "0")}:00:00Z`;
  const got = marks(
    [
      { ...run, id: "1", status: "succeeded", started_at: at(12), finished_at: at(18) },
      { ...run, id: "2", status: "failed", started_at: "2025-12-31T12:00:00Z", finished_at: at(6) },
      { ...run, id: "3", status: "running", started_at: at(18), finished_at: null },
      { ...run, id: "4", status: "held", started_at: at(23), finished_at: null },
    ],
    at(0),
    "2026-01-02T00:00:00Z",
  );
  expect(got.map((m) => [m.from, m.width, m.tone])).toEqual([
    [0.5, 0.25, "ok"],
    [0, 0.25, "bad"],
    [0.75, 0.25, "info"],
    [23 / 24, 0.006, "warn"],
  ]);
});

test("every third hour has its line", () => {
  const got = hours("2026-01-01T00:30:00Z", "2026-01-02T00:30:00Z");
  expect(got.length).toBe(8);
  expect(got.every((h) => h.part > 0 && h.part <= 1 && Number(h.words.slice(0, 2)) % 3 === 0)).toBe(true);
});
