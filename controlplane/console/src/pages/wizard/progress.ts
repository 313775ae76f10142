import * as text from "#text/wizard";
import type { Of } from "../../api/types";

/** What the stream of a run tells. */
export type Progress = {
  event: string;
  run_id: string;
  seq: number;
  at: string;
  status: string;
  phase: string;
  message?: string;
  counters: Of<"Counters">;
  estimate?: Of<"Estimate"> | null;
  chunks: number;
  resumes?: number;
  holds?: number;
  held_until?: string;
  rate_wait_until?: string;
  started_at: string | null;
  finished_at?: string;
  error_detail?: Of<"ErrorDetail">;
};

export type Line = { at: string; tone: "info" | "warn" | "bad"; words: string };

/** A run as it is followed: the newest that was told, records read by time, and what happened. */
export type ProgressHistory = { last: Progress | undefined; points: { at: number; records: number }[]; log: Line[] };

export const noProgress: ProgressHistory = { last: undefined, points: [], log: [] };
const most = 200;

const phases: Record<string, string> = {
  connect: text.connectingToTheSystem,
  read_identities: text.readingPeople,
  read_accounts: text.readingAccounts,
  read_entitlements: text.readingGroupsAndRoles,
  read_grants: text.readingGrants,
  evaluate: text.comparingWithStoredData,
  apply: text.saving,
  correlate: text.correlatingAccounts,
  finish: text.finishing,
};

/** What a phase is called. */
export const phaseName = (p: string) => phases[p] ?? (p ? `${p.charAt(0).toUpperCase()}${p.slice(1).replaceAll("_", " ")}` : "");

export const recordsRead = (p: Progress) =>
  p.counters.identities_read + p.counters.accounts_discovered + p.counters.entitlements_mapped + p.counters.grants_recorded;

/** Takes in what was told. The same told twice, as after a cut, counts once. */
export function addProgress(was: ProgressHistory, p: Progress): ProgressHistory {
  if (was.last && was.last.run_id === p.run_id && p.seq < was.last.seq) return was;
  const same = was.last?.run_id === p.run_id && was.last.seq === p.seq;
  const points = same ? was.points : [...was.points, { at: Date.parse(p.at), records: recordsRead(p) }].slice(-most);
  return { last: p, points, log: same ? was.log : [...was.log, ...linesOf(was.last, p)].slice(-most) };
}

/** The time of day of a moment, by the clock of whoever looks. */
export const clock = (at: string) => new Date(at).toLocaleTimeString("en-GB");

function linesOf(was: Progress | undefined, p: Progress): Line[] {
  const out: Line[] = [];
  const addLine = (words: string, tone: Line["tone"] = "info") => out.push({ at: p.at, tone, words });
  if (p.status === "waiting_agent" && was?.status !== "waiting_agent") addLine(text.waitingForAnAgentToConnect, "warn");
  if (p.phase && p.phase !== was?.phase) addLine(phaseName(p.phase));
  if (p.message && p.message !== was?.message) addLine(p.message);
  if (p.rate_wait_until && p.rate_wait_until !== was?.rate_wait_until)
    addLine(text.theSystemLimitsTheRequestRate(clock(p.rate_wait_until)), "warn");
  if ((p.resumes ?? 0) > (was?.resumes ?? 0)) addLine(text.continuedByAnotherProcess, "warn");
  if (p.counters.errors > (was?.counters.errors ?? 0)) addLine(text.recordsOrValuesRejected(p.counters.errors), "warn");
  const loose = p.counters.unresolved_references;
  if (loose > (was?.counters.unresolved_references ?? 0)) addLine(text.membersAreOutsideTheSearchBase(loose), "warn");
  if (p.event === "sync.completed")
    addLine(p.status === "partial" ? text.completedWithRejectedRecords : text.completedStatus(p.status.replaceAll("_", " ")));
  if (p.event === "sync.failed") addLine(p.error_detail?.message ?? text.failed, "bad");
  if (p.event === "sync.cancelled") addLine(text.cancelled, "warn");
  if (p.event === "sync.held") addLine(text.waitingForADecision, "warn");
  return out;
}

/** Whether there is nothing more to come of a run by itself. */
export const ended = (event: string) => /^sync\.(held|completed|failed|cancelled)$/.test(event);

/** Records a second over time, for a picture: steps between two moments that were told. */
export function throughput(points: ProgressHistory["points"]): { at: number; rate: number }[] {
  const out: { at: number; rate: number }[] = [];
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]];
    if (!a || !b || b.at <= a.at) continue;
    out.push({ at: b.at, rate: Math.max(0, (1000 * (b.records - a.records)) / (b.at - a.at)) });
  }
  return out;
}
