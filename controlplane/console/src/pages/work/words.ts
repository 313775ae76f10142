import { durations } from "#text/kit";
import type { Of } from "../../api/types";
import { inLargestUnit } from "../../kit/duration";

export type WorkItem = Of<"WorkItem">;
export type WorkKind = Of<"WorkKind">;

/** The beginning of every path that a retry or a deletion changes. */
export const base = "/settings/work-queue";

/** For how long something has been due, in its largest unit: 90 seconds are "1 minute". */
export const lateWords = (seconds: number): string =>
  seconds <= 0 ? "" : (inLargestUnit(seconds, Math.floor) ?? durations.second(seconds));

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
