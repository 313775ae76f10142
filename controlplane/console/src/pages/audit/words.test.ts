import { expect, test } from "vitest";
import { breakWords, placeOf, queryOf } from "./words";

test("a last day counts wholly, and an instant is taken as it is", () => {
  const q = queryOf({ from: "2026-01-31", to: "2026-01-31", actor: "u1", object: "o1", request: "r1" });
  expect(new Date(String(q.to)).getTime() - new Date(String(q.from)).getTime()).toBe(86_400_000);
  expect([q.actor_id, q.subject_id, q.request_id]).toEqual(["u1", "o1", "r1"]);
  expect(queryOf({ from: "2026-01-31T10:00:00Z" }).from).toBe("2026-01-31T10:00:00Z");
});

test("what is wrong and where it is, is said for what is known", () => {
  expect(breakWords("edited")).toContain("was changed");
  expect([placeOf("identity"), placeOf("session")]).toEqual(["/people/$id", undefined]);
});
