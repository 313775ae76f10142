import { expect, test } from "vitest";
import { dayBegins, dayEnds, dayOf } from "./day";

test("a day comes back as it was typed, wherever that is", () => {
  for (const day of ["2026-01-01", "2026-03-29", "2026-10-25", "2026-12-31"]) {
    expect(dayOf(dayBegins(day))).toBe(day);
    expect(dayOf(dayEnds(day))).toBe(day);
  }
  expect(dayOf(null)).toBe("");
});
