import { expect, test } from "vitest";
import { roughly } from "./words";

test("how long a decision usually takes is told in its largest unit", () => {
  expect(roughly("PT0S")).toBe("less than a minute");
  expect(roughly("PT1M21S")).toBe("1 minute");
  expect(roughly("PT26H")).toBe("1 day");
  expect(roughly("P2DT20H")).toBe("3 days");
  expect(roughly(null)).toBe("");
});
