import { expect, test } from "vitest";
import { type Draft, draftOf, edits, tableOf } from "./draft";

const kept = {
  hit_policy: "first" as const,
  columns: ["department", "location"],
  rows: [
    { cells: ["Nursing", "Be*"], role_ids: ["r"], entitlement_ids: [], comment: "Wards" },
    { cells: ["*", "*"], role_ids: [], entitlement_ids: ["e"], comment: "" },
  ],
};

const cells = (d: Draft) => d.rows.map((r) => r.cells.join(";"));

test("a table that is not changed is sent as it was kept", () => {
  expect(tableOf(draftOf(kept))).toEqual(kept);
});

test("rows move, are copied and removed, and keep their results", () => {
  const d = draftOf(kept);
  expect(cells(edits.move(d, 1, -1))).toEqual(["*;*", "Nursing;Be*"]);
  expect(cells(edits.move(d, 0, -1))).toEqual(cells(d));
  const copied = edits.duplicate(d, 0);
  expect(copied.rows[1]?.roles).toEqual(["r"]);
  expect(new Set(copied.rows.map((r) => r.key)).size).toBe(3);
  expect(cells(edits.remove(d, 0))).toEqual(["*;*"]);
  expect(cells(edits.cell(d, 0, 1, "Basel"))).toEqual(["Nursing;Basel", "*;*"]);
});

test("a new column matches everyone, and a removed one takes its cells with it", () => {
  const d = edits.addColumn(draftOf(kept), "title");
  expect(cells(d)).toEqual(["Nursing;Be*;*", "*;*;*"]);
  expect(cells(edits.removeColumn(d, 0))).toEqual(["Be*;*", "*;*"]);
  expect(cells(edits.add(d)).at(-1)).toBe("*;*;*");
});
