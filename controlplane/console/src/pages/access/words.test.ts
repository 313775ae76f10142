import { expect, test } from "vitest";
import { changesOf, columnsOf, mayDescribe } from "./words";

test("only what became different is sent, and null for what was emptied", () => {
  const before = { risk_level: "low", max_duration: "P30D", compliance_tags: ["SOX"], note: null as string | null };
  expect(changesOf(before, { risk_level: "high", max_duration: "", compliance_tags: ["SOX"], note: null })).toEqual({
    risk_level: "high",
    max_duration: null,
  });
  expect(changesOf(before, before)).toEqual({});
});

test("an owner describes what they own, and nothing else", () => {
  const own = { owner_ids: ["p1"] };
  const others = { owner_ids: ["p2"] };
  expect([mayDescribe(own, false, true, "p1"), mayDescribe(others, false, true, "p1"), mayDescribe(own, false, false, "p1")]).toEqual([
    true,
    false,
    false,
  ]);
  expect([mayDescribe(others, true, false, null), mayDescribe({ owner_ids: [] }, false, true, null)]).toEqual([true, false]);
});

test("columns of nesting hold some of each depth, and say how many more", () => {
  const levels = Array.from({ length: 30 }, (_, i) => ({ depth: i < 20 ? 1 : 2, id: i }));
  expect(columnsOf(levels, 12).map((c) => [c.depth, c.shown.length, c.more])).toEqual([
    [1, 12, 8],
    [2, 10, 0],
  ]);
});
