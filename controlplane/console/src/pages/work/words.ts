import * as text from "#text/work";
import type { Of } from "../../api/types";

export type WorkItem = Of<"WorkItem">;
export type WorkKind = Of<"WorkKind">;

/** The beginning of every path that a retry or a deletion changes. */
export const base = "/settings/work-queue";

const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** For how long something has been due, in its largest unit: 90 seconds are "1 minute". */
export function lateWords(seconds: number): string {
  if (seconds <= 0) return "";
  for (const [name, size] of units) {
    const n = Math.floor(seconds / size);
    if (n > 0) return text.late[name](n);
  }
  return text.late.second(seconds);
}

/** The kinds that have items, those with dead letters first. */
export const busy = <K extends { waiting: number; dead: number }>(kinds: readonly K[]): K[] =>
  kinds.filter((k) => k.waiting + k.dead > 0).sort((a, b) => Number(b.dead > 0) - Number(a.dead > 0));

const pages: Record<string, string> = {
  identity: "/people/$id",
  account: "/accounts/$id",
  connector: "/connectors/$id",
};

/** The page of what an item is about, where there is one. */
export const pageOf = (type: string | undefined): string | undefined => pages[type ?? ""];
