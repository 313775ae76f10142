import { expect, test } from "vitest";
import { first, formatOf, type Row } from "./importing";

test("the format is told by the name, else by the beginning", () => {
  expect([formatOf("a.csv", "{"), formatOf("a.jsonl", ""), formatOf("a", ' {"a":1}'), formatOf("a.txt", "a,b")]).toEqual([
    "csv",
    "ndjson",
    "ndjson",
    "csv",
  ]);
});

test("what cannot be stands first", () => {
  const rows = [
    { line: 2, outcome: "unchanged" },
    { line: 3, outcome: "created" },
    { line: 4, outcome: "failed" },
  ] as Row[];
  expect(first(rows, "", 2).map((r) => r.line)).toEqual([4, 3]);
  expect(first(rows, "unchanged", 9).map((r) => r.line)).toEqual([2]);
});
