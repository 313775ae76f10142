import * as text from "#text/people";
import type { Of } from "../../api/types";

export type Row = Of<"RowTaken">;

/** What kind of file it is: by its name, else by how it begins. */
export function formatOf(name: string, begins: string): "csv" | "ndjson" {
  if (/\.(ndjson|jsonl|json)$/i.test(name)) return "ndjson";
  if (/\.csv$/i.test(name)) return "csv";
  return begins.trimStart().startsWith("{") ? "ndjson" : "csv";
}

export const outcomes: Record<string, { words: string; tone: "ok" | "info" | "neutral" | "bad" }> = {
  created: { words: text.newLabel, tone: "ok" },
  updated: { words: text.changedLower, tone: "info" },
  unchanged: { words: text.unchangedLower, tone: "neutral" },
  failed: { words: text.failed, tone: "bad" },
};

/** Rows as a list shows them: what cannot be first, and never more than most. */
export function first(rows: Row[], only: string, most: number): Row[] {
  const wanted = only ? rows.filter((r) => r.outcome === only) : [...rows].sort((a, b) => weight(a) - weight(b) || a.line - b.line);
  return wanted.slice(0, most);
}

const weight = (r: Row) => (r.outcome === "failed" ? 0 : r.outcome === "unchanged" ? 2 : 1);
