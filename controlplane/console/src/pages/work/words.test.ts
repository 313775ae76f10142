import { expect, test } from "vitest";
import { busy, lateWords, pageOf } from "./words";

test("a delay is told in its largest unit", () => {
  expect(lateWords(0)).toBe("");
  expect(lateWords(1)).toBe("1 second");
  expect(lateWords(59)).toBe("59 seconds");
  expect(lateWords(90)).toBe("1 minute");
  expect(lateWords(7200)).toBe("2 hours");
  expect(lateWords(86_400 * 3)).toBe("3 days");
});

test("kinds without items are left out, and dead letters come first", () => {
  const kinds = [
    { kind: "idle", waiting: 0, dead: 0 },
    { kind: "waits", waiting: 4, dead: 0 },
    { kind: "failed", waiting: 0, dead: 1 },
  ];
  expect(busy(kinds).map((k) => k.kind)).toEqual(["failed", "waits"]);
});

test("a subject without a page has no link", () => {
  expect(pageOf("account")).toBe("/accounts/$id");
  expect(pageOf("schema_diff")).toBeUndefined();
  expect(pageOf(undefined)).toBeUndefined();
});
