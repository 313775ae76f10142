import * as text from "#text/decisiontables";
import type { Of } from "../../api/types";

export type HitPolicy = "all" | "first";
export type Check = Of<"DecisionTableCheck">;

export const hitPolicyOptions = Object.entries(text.hitPolicies) as [HitPolicy, string][];

/** A row as it is written. key stays with it when it moves. */
export type Row = { key: number; cells: string[]; roles: string[]; entitlements: string[]; comment: string };

/** A table as it is written. */
export type Draft = { hit: HitPolicy; columns: string[]; rows: Row[] };

let keys = 0;

/** A row with a key of its own. */
export const rowOf = (cells: string[], of?: Partial<Row>): Row => {
  keys += 1;
  return { roles: [], entitlements: [], comment: "", ...of, key: keys, cells };
};

/** A kept table as it is written. */
export const draftOf = (t: NonNullable<Of<"AccessPolicy">["table"]>): Draft => ({
  hit: t.hit_policy ?? "all",
  columns: t.columns ?? [],
  rows: (t.rows ?? []).map((r) =>
    rowOf(r.cells, { roles: r.role_ids ?? [], entitlements: r.entitlement_ids ?? [], comment: r.comment ?? "" }),
  ),
});

/** A written table as the API takes it. */
export const tableOf = (d: Draft) => ({
  hit_policy: d.hit,
  columns: d.columns,
  rows: d.rows.map((r) => ({ cells: r.cells, role_ids: r.roles, entitlement_ids: r.entitlements, comment: r.comment })),
});

const put = <T>(list: T[], at: number, ...items: T[]) => [...list.slice(0, at), ...items, ...list.slice(at)];
const without = <T>(list: T[], at: number) => list.filter((_, i) => i !== at);

/** What can be done to a table. Rows and columns are counted from 0. */
export const edits = {
  row: (d: Draft, at: number, change: Partial<Row>): Draft => ({
    ...d,
    rows: d.rows.map((r, i) => (i === at ? { ...r, ...change } : r)),
  }),
  cell: (d: Draft, at: number, column: number, value: string): Draft =>
    edits.row(d, at, { cells: (d.rows[at]?.cells ?? []).map((c, j) => (j === column ? value : c)) }),
  add: (d: Draft, cells?: string[]): Draft => ({ ...d, rows: [...d.rows, rowOf(cells ?? d.columns.map(() => "*"))] }),
  duplicate: (d: Draft, at: number): Draft => {
    const of = d.rows[at];
    return of ? { ...d, rows: put(d.rows, at + 1, rowOf([...of.cells], of)) } : d;
  },
  remove: (d: Draft, at: number): Draft => ({ ...d, rows: without(d.rows, at) }),
  move: (d: Draft, at: number, by: 1 | -1): Draft => {
    const of = d.rows[at];
    return of && at + by >= 0 && at + by < d.rows.length ? { ...d, rows: put(without(d.rows, at), at + by, of) } : d;
  },
  addColumn: (d: Draft, field: string): Draft => ({
    ...d,
    columns: [...d.columns, field],
    rows: d.rows.map((r) => ({ ...r, cells: [...r.cells, "*"] })),
  }),
  removeColumn: (d: Draft, at: number): Draft => ({
    ...d,
    columns: without(d.columns, at),
    rows: d.rows.map((r) => ({ ...r, cells: without(r.cells, at) })),
  }),
};
