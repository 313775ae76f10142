import { expect, test } from "vitest";
import { grouped, headersOf, placeOf, schedule, stateOf, type Webhook, why, window6h } from "./words";

test("all five attempts stand apart, within six hours", () => {
  const at = schedule.map(([from]) => placeOf(from));
  expect(at[0]).toBe(0);
  for (let i = 1; i < at.length; i++) expect((at[i] ?? 0) - (at[i - 1] ?? 0)).toBeGreaterThan(0.08);
  expect(placeOf(window6h)).toBe(1);
});

test("headers are read line by line, and a line that is none is told", () => {
  expect(headersOf("X-Key: a:b\n\n Other:c ")).toEqual({ "X-Key": "a:b", Other: "c" });
  expect(() => headersOf("nonsense")).toThrow("nonsense");
});

test("a webhook says why it is silent", () => {
  const w = (health: Partial<Webhook["health"]>, enabled: boolean) =>
    ({ enabled, health: { state: "ok", reason: "", ...health } }) as Webhook;
  expect(stateOf(w({}, true))).toBe("enabled");
  expect(why(w({ state: "disabled", disabled_by: "service", reason: "410 Gone" }, false))).toContain(
    "Disabled by the service: 410 Gone. Send a test",
  );
  expect(why(w({ state: "failing", consecutive_failures: 12 }, true))).toContain("12 consecutive failures");
});

test("events keep their groups", () => {
  expect(grouped([{ group: "a" }, { group: "b" }, { group: "a" }]).map(([g, e]) => `${g}${e.length}`)).toEqual(["a2", "b1"]);
});
