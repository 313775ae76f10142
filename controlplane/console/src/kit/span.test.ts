import { expect, test } from "vitest";
import { spanOf, spanParts, spanSeconds, spansTold, spanWords } from "./span";

test("lengths of time are read in words", () => {
  expect(spanWords("P14D")).toBe("14 days");
  expect(spanWords("P1DT12H")).toBe("1 day and 12 hours");
  expect(spanWords("PT36H")).toBe("1 day and 12 hours");
  expect(spanWords("P2W")).toBe("14 days");
  expect(spanWords("PT0S")).toBe("none");
  expect(spanWords("soon")).toBe("soon");
  expect(spanWords(null)).toBe("");
});

test("lengths of time within a sentence are read in words", () => {
  expect(spansTold("at most PT4H, as Payroll says")).toBe("at most 4 hours, as Payroll says");
  expect(spansTold("Payroll, P and P1 stay")).toBe("Payroll, P and P1 stay");
});

test("a length of one unit comes back as it was written", () => {
  for (const text of ["P1D", "P30D", "P2W", "PT4H", "PT90M", "PT45S"]) {
    const parts = spanParts(text);
    expect(parts && spanOf(parts.n, parts.unit)).toBe(text);
  }
  expect(spanParts("P1DT1H")).toEqual({ n: 25, unit: "hour" });
  expect(spanParts("nonsense")).toBeUndefined();
});

test("what is no length has no seconds", () => {
  for (const text of ["", "P", "PT", "P1Y", "1D", undefined]) expect(spanSeconds(text)).toBeUndefined();
});
