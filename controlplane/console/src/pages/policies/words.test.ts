import { expect, test } from "vitest";
import { stopReason } from "./words";

test("why a breaker has stopped a policy is a sentence", () => {
  expect(stopReason("3 changes within PT1H, and 1 more that are due: it may make 3")).toBe(
    "3 changes within 1 hour, and 1 more that are due: it may make 3.",
  );
  expect(stopReason("It is stopped.")).toBe("It is stopped.");
  expect(stopReason(undefined)).toBe("");
});
