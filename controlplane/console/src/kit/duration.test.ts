import { expect, test } from "vitest";
import { durationParts, durationSeconds, durationText, isoDuration, replaceDurations } from "./duration";

test("lengths of time are read in words", () => {
  expect(durationText("P14D")).toBe("14 days");
  expect(durationText("P1DT12H")).toBe("1 day and 12 hours");
  expect(durationText("PT36H")).toBe("1 day and 12 hours");
  expect(durationText("P2W")).toBe("14 days");
  expect(durationText("PT0S")).toBe("none");
  expect(durationText("soon")).toBe("soon");
  expect(durationText(null)).toBe("");
});

test("lengths of time within a sentence are read in words", () => {
  expect(replaceDurations("at most PT4H, as Payroll says")).toBe("at most 4 hours, as Payroll says");
  expect(replaceDurations("Payroll, P and P1 stay")).toBe("Payroll, P and P1 stay");
});

test("a length of one unit comes back as it was written", () => {
  for (const text of ["P1D", "P30D", "P2W", "PT4H", "PT90M", "PT45S"]) {
    const parts = durationParts(text);
    expect(parts && isoDuration(parts.n, parts.unit)).toBe(text);
  }
  expect(durationParts("P1DT1H")).toEqual({ n: 25, unit: "hour" });
  expect(durationParts("nonsense")).toBeUndefined();
});

test("what is no length has no seconds", () => {
  for (const text of ["", "P", "PT", "P1Y", "1D", undefined]) expect(durationSeconds(text)).toBeUndefined();
});
