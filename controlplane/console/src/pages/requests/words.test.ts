import { expect, test } from "vitest";
import { roughDuration } from "./words";

test("how long a decision usually takes is told in its largest unit", () => {
  expect(roughDuration("PT0S")).toBe("less than a minute");
  expect(roughDuration("PT1M21S")).toBe("1 minute");
  expect(roughDuration("PT26H")).toBe("1 day");
  expect(roughDuration("P2DT20H")).toBe("3 days");
  expect(roughDuration(null)).toBe("");
});
