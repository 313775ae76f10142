import { expect, test } from "vitest";
import { expected, type ReleaseFilter, sharesOf, subsetOf } from "./subset";

const group = (guard: string | null, held: number, departments: [string | null, number][]) =>
  ({
    guard,
    held,
    count: held,
    departments: departments.map(([value, count]) => ({ value, count })),
    containers: [],
    samples: [],
  }) as never;

const groups = [
  group("account_missing", 5, [
    ["Sales", 3],
    ["Finance", 1],
    [null, 1],
  ]),
  group("grant_removed", 4, [["Sales", 4]]),
  group(null, 0, [["Sales", 90]]),
];
const holds = [
  { kind: "account_missing", held: 5 },
  { kind: "grant_removed", held: 4 },
];
const all: ReleaseFilter = { kinds: ["account_missing", "grant_removed"], departments: [], containers: [] };

test("shares are of the chosen kinds that are held, and of nothing else", () => {
  expect(sharesOf(groups, all.kinds).departments).toEqual([
    { value: "Sales", count: 7 },
    { value: "Finance", count: 1 },
  ]);
  expect(sharesOf(groups, ["account_missing"]).departments[0]).toEqual({ value: "Sales", count: 3 });
});

test("a choice is counted, and sent without what was not chosen", () => {
  expect(expected(holds, sharesOf(groups, all.kinds), all)).toBe(9);
  const part = { kinds: ["account_missing"], departments: ["Finance"], containers: [] };
  expect(expected(holds, sharesOf(groups, part.kinds), part)).toBe(1);
  expect(subsetOf(part)).toEqual({ kinds: ["account_missing"], departments: ["Finance"] });
  expect(expected(holds, sharesOf(groups, []), { ...all, kinds: [] })).toBe(0);
});
