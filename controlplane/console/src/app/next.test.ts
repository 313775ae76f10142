import { expect, test } from "vitest";
import { safeNext } from "./next";

test("signing in leads to a page of ours alone", () => {
  expect(safeNext("/people?q=anna")).toBe("/people?q=anna");
  for (const elsewhere of [
    "//elsewhere.example",
    "/\\elsewhere.example",
    "https://elsewhere.example",
    "javascript:alert(1)",
    "people",
    "",
    42,
    undefined,
    "/login?next=/",
  ])
    expect(safeNext(elsewhere)).toBe("/");
});
