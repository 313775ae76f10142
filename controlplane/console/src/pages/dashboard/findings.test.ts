import { expect, test } from "vitest";
import { trendOf } from "./findings.words";

test("a trend prefers seven days, and is absent without an earlier count", () => {
  const of = (days_7: number | null, days_30: number | null) => trendOf({ trend: { days_7, days_30 } })?.words;
  expect(of(3, 9)).toBe("3 more in 7 days");
  expect(of(-1200, null)).toBe("1,200 fewer in 7 days");
  expect(of(0, 4)).toBe("Unchanged in 7 days");
  expect(of(null, 4)).toBe("4 more in 30 days");
  expect(of(null, null)).toBeUndefined();
  expect(trendOf({ trend: null })).toBeUndefined();
});
