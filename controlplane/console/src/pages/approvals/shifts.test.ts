import { expect, test } from "vitest";
import { nextShifts } from "./shifts";

const start = "2026-01-05T09:00:00Z";
const week = 7 * 86_400;
const at = (t: string) => Date.parse(t);

test("the next turns are told", () => {
  expect(nextShifts(2, start, week, at("2026-01-06T00:00:00Z"), 2)).toEqual([
    { who: 1, at: "2026-01-12T09:00:00.000Z" },
    { who: 0, at: "2026-01-19T09:00:00.000Z" },
  ]);
  expect(nextShifts(2, start, week, at("2026-01-01T00:00:00Z"), 1)).toEqual([{ who: 0, at: "2026-01-05T09:00:00.000Z" }]);
});

test("turns begin anew after the last, and nobody takes turns of no length", () => {
  expect(nextShifts(2, start, week, at("2026-01-12T09:00:00Z"), 1)[0]?.who).toBe(0);
  expect(nextShifts(0, start, week, at("2026-01-12T09:00:00Z"), 1)).toEqual([]);
  expect(nextShifts(2, start, 0, at("2026-01-12T09:00:00Z"), 1)).toEqual([]);
});
