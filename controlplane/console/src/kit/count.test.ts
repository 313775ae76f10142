import { expect, test } from "vitest";
import { count, number } from "./count";

test("numbers have commas between thousands", () => {
  expect([number(0), number(999), number(2808), number(undefined)]).toEqual(["0", "999", "2,808", "0"]);
});

test("one is not many", () => {
  expect([
    count(1, "account"),
    count(2808, "account"),
    count(0, "account"),
    count(1, "person", "people"),
    count(3, "person", "people"),
  ]).toEqual(["1 account", "2,808 accounts", "0 accounts", "1 person", "3 people"]);
});

const code = Object.entries(
  import.meta.glob<string>(["../**/*.ts", "../**/*.tsx", "!../**/*.test.ts", "!../api/schema.d.ts"], {
    query: "?raw",
    import: "default",
    eager: true,
  }),
);

/** A bare length, count or total before a noun in the plural: "{all.length} accounts". */
const bare = /\{[^{}]*(?:\.length|\.size|counts\.\w+|counters\.\w+|\btotal)(?:\.toLocaleString\("en"\))?\} (?:[a-z]+ )?[a-z]{3,}s\b(?!=)/g;
const fine = /\} (?:is|was|does|has|others|pass|already|lets|this|times)\b/;

test("the sources are there", () => {
  expect(code.length).toBeGreaterThan(300);
  expect(code.filter(([, text]) => !text).map(([name]) => name)).toEqual([]);
});

test.each(code)("%s counts by count()", (_, text) => {
  const wrong = text.split("\n").filter((l) => [...l.matchAll(bare)].some((m) => !fine.test(m[0])) && !/=== 1 \?/.test(l));
  expect(wrong).toEqual([]);
});
