import { expect, test } from "vitest";
import { displayValue } from "./difftext";

test("what is not there is not shown, and what is false or nought is", () => {
  expect([null, undefined, "", [], {}].map(displayValue)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  expect([false, 0, "a", ["a"], { a: 1 }].map(displayValue)).toEqual(["false", "0", "a", '["a"]', '{"a":1}']);
});

test("what is very long is cut", () => {
  expect(displayValue("x".repeat(9000))).toHaveLength(2001);
});
