import type { ReactNode } from "react";
import * as text from "#text/connectors";
import type { Connector, Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Id } from "../../kit/elements";
import { Facts, Failure, Note, Part, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { TargetError } from "./target";
import { Timeline } from "./timeline";
import { UnmanagedGrants } from "./unmanagedgrants";
import { n } from "./words";

type Health = Of<"HealthReport">;
type Run = Of<"Run">;

/** The health of a connector, what its last run read, and its last runs. */
export function Overview({ of: c }: { of: Connector }) {
  const health = useGet<Health>(`/connectors/${c.id}/health`, {}, { every: 15_000 });
  const bad = c.status === "degraded" || c.status === "quarantined" || (health.data?.consecutive_failures ?? 0) > 0;
  return (
    <>
      {bad && <Failing of={c} health={health.data} />}
      {c.status_reason && !bad && (
        <Note tone="warn">
          {(c.status === "paused" ? text.pausedBecause : c.status === "disabled" ? text.disabledBecause : asItIs)(
            <Text of={c.status_reason} />,
          )}
        </Note>
      )}
      <UnmanagedGrants of={c} />
      <HeldRunNotice of={c} />
      <Diffs of={c} />
      <Figures of={c} />
      <Part title={text.lastSyncRuns}>
        {health.data ? (
          <Timeline of={c.id} runs={health.data.last_runs} />
        ) : health.isError ? (
          <Failure error={health.error} />
        ) : (
          <Skeleton rows={3} />
        )}
      </Part>
      <Part title={text.health}>
        <section className="card padded" aria-label={text.health}>
          <Facts
            of={[
              [text.reading, health.data && <State key="h" of={health.data.reading.state} />],
              [text.since, health.data && <When key="s" at={health.data.reading.since ?? health.data.since} />],
              [text.writing, health.data && <State key="w" of={health.data.writing.state} tone={writingTone(health.data.writing.state)} />],
              [text.lastSuccess, <When key="l" at={c.last_success_at} />],
              [text.nextRun, <When key="n" at={c.next_run_at} none={text.onlyManualRunsLower} />],
              [text.succeededInSevenDays, rate(health.data?.success_rate_7d)],
              [text.consecutiveFailures, health.data ? n(health.data.consecutive_failures) : undefined],
              [text.lastTest, c.last_test && <LastTest key="t" of={c} />],
              [text.sourceRole, purposes[c.purpose]],
              [text.businessId, <Id key="b" of={c.business_id} />],
              [text.id, <Id key="i" of={c.id} />],
            ]}
          />
        </section>
      </Part>
    </>
  );
}

const asItIs = (reason: ReactNode) => reason;

const purposes: Record<string, string> = {
  source: text.peopleOnlySource,
  target: text.accountsAndAccessOnlyTarget,
  both: text.peopleAccountsAndAccessLower,
};

const writingTone = (state: string) => (state === "stopped" ? "bad" : state === "waiting" || state === "switched_off" ? "warn" : "neutral");

const rate = (of: number | null | undefined) => (of === null || of === undefined ? undefined : text.ofSyncRuns(Math.round(of * 100)));

function LastTest({ of: c }: { of: Connector }) {
  return (
    <>
      <State of={c.last_test?.success ? "succeeded" : "failed"} /> <When at={c.last_test?.at ?? null} />
      {c.last_test && !c.last_test.current && <span className="muted"> {text.beforeTheSettingsWereChanged}</span>}
    </>
  );
}

/** The last error, word for word, above everything else. */
function Failing({ of: c, health }: { of: Connector; health: Health | undefined }) {
  const failed = health?.last_runs.find((r) => r.mode === "apply" && (r.status === "failed" || r.status === "expired"));
  const run = useGet<Run>(`/connectors/${c.id}/sync-runs/${failed?.id}`, {}, { enabled: failed !== undefined });
  return (
    <Note tone="bad">
      <div className="stack tight">
        <strong>{c.status === "quarantined" ? text.thisSystemIsQuarantinedNoRun : text.theLastSyncRunFailed}</strong>
        {run.data?.error ? <TargetError of={run.data.error} open /> : <p>{health?.cause ?? c.status_reason}</p>}
        {failed && (
          <p>
            <Link to="/connectors/$id/runs/$run" params={{ id: c.id, run: failed.id }}>
              {text.openTheFailedRun}
            </Link>{" "}
            <span className="muted">
              (<When at={failed.created_at} />)
            </span>
          </p>
        )}
      </div>
    </Note>
  );
}

function HeldRunNotice({ of: c }: { of: Connector }) {
  const held = useGet<{ items: Run[] }>(`/connectors/${c.id}/sync-runs`, { status: "held", limit: 1 });
  const run = held.data?.items[0];
  if (!run) return null;
  return (
    <Note tone="warn">
      {text.aSyncRunIsHeldSome(
        <Link className="connectors-more" to="/connectors/$id/runs/$run" params={{ id: c.id, run: run.id }}>
          {text.reviewHeldChanges}
        </Link>,
        <span className="muted">{text.discardedHeldUntilWithoutADecision(<When at={run.held_until ?? null} />)}</span>,
      )}
    </Note>
  );
}

function Diffs({ of: c }: { of: Connector }) {
  const may = useMay();
  const open = useGet<{ items: Of<"SchemaDiff">[] }>(`/connectors/${c.id}/schema-diffs`, { state: "open", limit: 1 });
  const diff = open.data?.items[0];
  if (!diff) return null;
  return (
    <Note tone="info">
      {text.theSchemaOfTheSourceHas(
        diff.undecided,
        <Link className="connectors-more" to="/connectors/$id/rediscover" params={{ id: c.id }}>
          {may.admin ? text.reviewChanges : text.viewChanges}
        </Link>,
      )}
    </Note>
  );
}

function Figures({ of: c }: { of: Connector }) {
  const last = useGet<Run>(`/connectors/${c.id}/sync-runs/${c.last_run_id}`, {}, { enabled: Boolean(c.last_run_id) });
  const counters = last.data?.counters;
  const figures: [string, number | undefined][] = [
    [text.people, counters?.identities_read],
    [text.accounts, counters?.accounts_discovered],
    [text.groupsAndRoles, counters?.entitlements_mapped],
    [text.grants, counters?.grants_recorded],
  ];
  return (
    <section aria-label={text.recordsOfTheLastSync}>
      <dl className="connectors-figures">
        {figures.map(([words, of]) => (
          <div key={words}>
            <dt>{words}</dt>
            <dd>{of === undefined ? "—" : n(of)}</dd>
          </div>
        ))}
      </dl>
      <p className="small muted">{last.data?.effective_incremental ? text.fromTheLastSyncAnIncremental : text.fromTheLastSync}</p>
    </section>
  );
}
