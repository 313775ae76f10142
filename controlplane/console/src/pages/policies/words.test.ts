import { expect, test } from "vitest";
import { stoppedFor } from "./words";

test("why a breaker has stopped a policy is a sentence", () => {
  expect(stoppedFor("3 changes within PT1H, and 1 more that are due: it may make 3")).toBe(
    "3 changes within 1 hour, and 1 more that are due: it may make 3.",
  );
  expect(stoppedFor("It is stopped.")).toBe("It is stopped.");
  expect(stoppedFor(undefined)).toBe("");
});
