import type { Connector, Of } from "../../api/types";

import { count } from "../../kit/count";

export { count as many, number as n } from "../../kit/count";

/** A run in short, as the list of connectors shows its last ones. */
export type RunBrief = Pick<Of<"Run">, "id" | "status" | "mode" | "trigger" | "created_at" | "started_at" | "finished_at"> & {
  full: boolean;
  error_code: string | null;
};

/** A connector of the list, with what it is asked to bring along. */
export type ConnectorRow = Connector & { last_runs?: RunBrief[]; counts?: { identities: number; accounts: number } };

export const environments = [
  ["production", "production"],
  ["staging", "staging"],
  ["test", "test"],
  ["dev", "development"],
  ["other", "other"],
] as const;

export const statuses = [
  ["active", "active"],
  ["ready", "ready"],
  ["draft", "draft"],
  ["degraded", "degraded"],
  ["quarantined", "quarantined"],
  ["paused", "paused"],
  ["disabled", "disabled"],
] as const;

const types: Record<string, string> = { scim2: "SCIM", ldap: "LDAP", rest: "REST", custom: "Custom", vendor: "Catalog" };

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
  waiting_agent: "waiting for an agent",
  evaluating: "checking safety limits",
  applying: "applying changes",
  held: "held",
  partial: "partial",
};

export const runWords = (status: string) => runStates[status] ?? status.replaceAll("_", " ");

/** Runs in one sentence, for those who do not see their picture. */
export function runSummary(runs: Pick<RunBrief, "status">[]): string {
  if (runs.length === 0) return "No run yet";
  const of = (o: Outcome) => runs.filter((r) => outcomeOf(r.status) === o).length;
  const parts: [number, string][] = [
    [of("good"), "succeeded"],
    [of("part"), "held or partial"],
    [of("bad"), "failed"],
    [of("open"), "running"],
    [of("none"), "without effect"],
  ];
  const told = parts.filter(([n]) => n > 0).map(([n, words]) => `${n} ${words}`);
  return `Last ${count(runs.length, "run")}: ${told.join(", ")}`;
}

const guards: Record<string, string> = {
  identity_deactivation: "people who would be deactivated",
  account_missing: "accounts that would be missing or removed, and their grants",
  account_disabled: "accounts that would be disabled",
  grant_removed: "grants that would be removed",
  entitlement_removed: "groups and roles that would be removed",
  identity_create: "people who would be created",
  attribute_rewrite: "people with a changed field",
};

/** What a limit is about, in words. */
export function guardWords(kind: string): string {
  const [base = kind, field] = kind.split(".");
  if (base === "attribute_rewrite" && field) return `people whose ${field.replaceAll("_", " ")} would change`;
  return guards[base] ?? kind.replaceAll("_", " ");
}

/** Milliseconds in words. */
export function lasted(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min ${Math.round((ms % 60_000) / 1000)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
