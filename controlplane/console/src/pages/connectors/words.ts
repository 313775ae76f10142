import * as text from "#text/connectors";
import type { Connector, Of } from "../../api/types";

export { count as many, number as n } from "../../kit/count";

/** A run in short, as the list of connectors shows its last ones. */
export type RunBrief = Pick<Of<"Run">, "id" | "status" | "mode" | "trigger" | "created_at" | "started_at" | "finished_at"> & {
  full: boolean;
  error_code: string | null;
};

/** A connector of the list, with what it is asked to bring along. */
export type ConnectorRow = Connector & { last_runs?: RunBrief[]; counts?: { identities: number; accounts: number } };

export const environments = [
  ["production", text.productionLower],
  ["staging", text.stagingLower],
  ["test", text.testLower],
  ["dev", text.development],
  ["other", text.other],
] as const;

export const statuses = [
  ["active", text.active],
  ["ready", text.ready],
  ["draft", text.draft],
  ["degraded", text.degraded],
  ["quarantined", text.quarantined],
  ["paused", text.paused],
  ["disabled", text.disabled],
] as const;

const types: Record<string, string> = { scim2: text.scim, ldap: text.ldap, rest: text.rest, custom: text.custom, vendor: text.catalog };

/** The type of a connector, and the vendor where it is one of the catalog. */
export const typeOf = (c: Pick<Connector, "type" | "vendor_key">) => [types[c.type] ?? c.type, c.vendor_key].filter(Boolean).join(" · ");

/** Whether a run of a connector may be started, by the connector's state. */
export const canSync = (status: string) => ["ready", "active", "degraded"].includes(status);

/** How a run came out: what its mark looks like. */
export type Outcome = "good" | "part" | "bad" | "open" | "none";

const outcomes: Record<string, Outcome> = {
  succeeded: "good",
  previewed: "none",
  cancelled: "none",
  discarded: "part",
  expired: "part",
  partial: "part",
  held: "part",
  failed: "bad",
};

export const outcomeOf = (status: string): Outcome => outcomes[status] ?? "open";

/** The newest run of a connector that the safety limits hold. */
export const lastHeldRun = (c: Pick<ConnectorRow, "last_runs">) => (c.last_runs ?? []).findLast((r) => r.status === "held");

/** Whether a run still goes on by itself. */
export const isInProgress = (status: string) => ["queued", "waiting_agent", "running", "evaluating", "applying"].includes(status);

const runStates: Record<string, string> = {
  waiting_agent: text.waitingForAnAgent,
  evaluating: text.checkingSafetyLimits,
  applying: text.applyingChanges,
  held: text.heldLower,
  partial: text.partial,
};

export const runWords = (status: string) => runStates[status] ?? status.replaceAll("_", " ");

/** Runs in one sentence, for those who do not see their picture. */
export function runSummary(runs: Pick<RunBrief, "status">[]): string {
  if (runs.length === 0) return text.noRunYet;
  const of = (o: Outcome) => runs.filter((r) => outcomeOf(r.status) === o).length;
  const groups: [number, (n: number) => string][] = [
    [of("good"), text.countSucceeded],
    [of("part"), text.countHeldOrPartial],
    [of("bad"), text.countFailed],
    [of("open"), text.countRunning],
    [of("none"), text.countWithoutEffect],
  ];
  return text.lastRuns(
    runs.length,
    groups.filter(([n]) => n > 0).map(([n, words]) => words(n)),
  );
}

const guards: Record<string, string> = {
  identity_deactivation: text.peopleWhoWouldBeDeactivated,
  account_missing: text.accountsThatWouldBeMissingOr,
  account_disabled: text.accountsThatWouldBeDisabled,
  grant_removed: text.grantsThatWouldBeRemoved,
  entitlement_removed: text.groupsAndRolesThatWouldBe,
  identity_create: text.peopleWhoWouldBeCreated,
  attribute_rewrite: text.peopleWithAChangedField,
};

/** What a limit is about, in words. */
export function guardWords(kind: string): string {
  const [base = kind, field] = kind.split(".");
  if (base === "attribute_rewrite" && field) return text.peopleWhoseFieldWouldChange(field.replaceAll("_", " "));
  return guards[base] ?? kind.replaceAll("_", " ");
}

/** Milliseconds in words. */
export function lasted(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return text.msMs(ms);
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? text.minutesMinRoundS(minutes, Math.round((ms % 60_000) / 1000))
    : text.floorHMinutesMin(Math.floor(minutes / 60), minutes % 60);
}
