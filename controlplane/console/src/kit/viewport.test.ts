import { expect, test } from "vitest";
import { parts } from "./viewport";

test("a list is cut into blocks, the last of what is left", () => {
  expect(parts([1, 2, 3], 2)).toEqual([[1, 2], [3]]);
  expect(parts([], 2)).toEqual([]);
});
