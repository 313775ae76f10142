import { expect, test } from "vitest";
import { constraintsBody, constraintsOf, constraintWords, scheduleBody, scheduleOf, windowWords } from "./terms";

const kept = {
  max_duration: "P30D",
  requires_justification: true,
  requires_external_reference: true,
  requires_mfa: true,
  employment_types: ["employee"],
  countries: ["CH", "DE"],
  needs_training: "GDPR",
  needs_manager: true,
};

test("constraints come back from the form as they were", () => {
  expect(constraintsBody(constraintsOf(kept), "eligible")).toEqual(kept);
  expect(constraintsBody({ ...constraintsOf(), countries: " CH,, DE " }, "assign").countries).toEqual(["CH", "DE"]);
});

test("an effect has the constraints that fit it", () => {
  const assigns = constraintsBody(constraintsOf(kept), "assign");
  expect(assigns).toMatchObject({ max_duration: null, requires_mfa: false, needs_training: "GDPR", needs_manager: true });
  expect(constraintsBody(constraintsOf(kept), "deny")).toMatchObject({ countries: [], needs_training: null, needs_manager: false });
});

test("a schedule comes back from the form as it was", () => {
  const weekly = [{ days: ["mon" as const, "sun" as const], starts: "22:00", ends: "06:00" }];
  const schedule = { from: "2026-09-01T06:30:00.000Z", to: null, weekly };
  expect(scheduleBody(scheduleOf(schedule))).toEqual(schedule);
  expect(scheduleBody(scheduleOf(null))).toBeNull();
});

test("both are told in words", () => {
  expect(constraintWords(kept)).toHaveLength(8);
  expect(constraintWords()).toEqual([]);
  expect(windowWords({ days: ["sun", "mon"], starts: "08:00", ends: "18:00" })).toBe("Mon, Sun 08:00–18:00");
});
