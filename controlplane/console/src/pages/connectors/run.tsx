import { useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import * as text from "#text/syncruns";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { Id } from "../../kit/elements";
import { Button, Facts, Failure, Head, Note, Part, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { Changes } from "./changes";
import "./connectors.css";
import { Groups } from "./groups";
import { HeldRunChanges } from "./heldrun";
import { Live } from "./live";
import { Report, reportedKinds } from "./report";
import { RunErrors } from "./runerrors";
import { SyncNow } from "./syncnow";
import { TargetError } from "./target";
import { canSync, isInProgress, lasted, n, runWords } from "./words";

type Run = Of<"Run">;

/** One reading of a system: live while it goes on, and what came of it. */
export default function OneRun() {
  const { id, run: runId } = useParams({ strict: false }) as { id: string; run: string };
  const connector = useGet<Connector>(`/connectors/${id}`);
  const found = useGet<Run>(`/connectors/${id}/sync-runs/${runId}`);
  if (found.isPending) return <Skeleton rows={6} />;
  if (!found.data) return <Failure page error={found.error} retry={() => void found.refetch()} />;
  const run = found.data;
  return (
    <>
      <Head
        up={
          <>
            <Link to="/connectors">{text.connectors}</Link> ·{" "}
            <Link to="/connectors/$id/$tab" params={{ id, tab: "runs" }}>
              <Text of={connector.data?.name ?? run.connector_business_id} />
            </Link>
          </>
        }
        title={text.syncRun}
        lead={
          run.mode === "preview"
            ? run.effective_incremental
              ? text.previewOfAnIncrementalSyncStarted(<When at={run.created_at} />)
              : text.previewOfAFullSyncStarted(<When at={run.created_at} />)
            : run.effective_incremental
              ? text.anIncrementalSyncStartedCreatedAt(<When at={run.created_at} />)
              : text.aFullSyncStartedCreatedAt(<When at={run.created_at} />)
        }
      >
        <State of={run.status} words={runWords(run.status)} />
        <RunActions of={run} connector={connector.data} />
      </Head>
      {isInProgress(run.status) ? <Live of={run} /> : <Ended of={run} />}
    </>
  );
}

function RunActions({ of: run, connector: c }: { of: Run; connector: Connector | undefined }) {
  const may = useMay();
  const [again, setAgain] = useState(false);
  const cancel = useAct({
    act: (_, key) => ask("POST", `/connectors/${run.connector_id}/sync-runs/${run.id}/cancel`, { key }),
    changes: ["/connectors"],
    done: text.theRunIsBeingCanceledChanges,
  });
  if (!may.admin) return null;
  if (isInProgress(run.status))
    return (
      <Button tone="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
        {text.cancelRun}
      </Button>
    );
  if (!c || !endedWithoutEffect.includes(run.status) || !canSync(c.status)) return null;
  return (
    <>
      <Button tone="primary" onClick={() => setAgain(true)}>
        {text.syncAgain}
      </Button>
      {again && <SyncNow of={c} open close={() => setAgain(false)} />}
    </>
  );
}

const endedWithoutEffect = ["failed", "cancelled", "expired", "discarded"];

const parts = [
  ["changes", text.changes],
  ["groups", text.groups],
  ["errors", text.rejectedRecords],
] as const;

function Ended({ of: run }: { of: Run }) {
  const { part = "changes" } = useSearch({ strict: false }) as { part?: string };
  const counts: Record<string, number | undefined> = { errors: run.counters.errors };
  return (
    <>
      {run.error && (
        <Note tone={run.status === "failed" ? "bad" : "warn"}>
          <TargetError of={run.error} />
        </Note>
      )}
      {run.status === "held" && <HeldRunChanges of={run} />}
      {run.mode === "preview" && <Note>{text.thisRunWasAPreviewNothing}</Note>}
      {run.warnings.length > 0 && <Warnings of={run} />}
      <Part title={text.result}>
        <Report of={run} />
      </Part>
      <nav className="tabs" aria-label={text.sectionsOfTheRun}>
        {parts.map(([key, words]) => (
          <Link
            key={key}
            to="."
            search={{ part: key }}
            resetScroll={false}
            className={part === key ? "active" : ""}
            aria-current={part === key ? "page" : undefined}
          >
            {words}
            {counts[key] !== undefined && <span className="count">{n(counts[key])}</span>}
          </Link>
        ))}
      </nav>
      {part === "errors" ? <RunErrors of={run} /> : part === "groups" ? <Groups of={run} /> : <Changes of={run} />}
      <Part title={text.details}>
        <section className="card padded" aria-label={text.details}>
          <RunDetails of={run} />
        </section>
      </Part>
    </>
  );
}

function Warnings({ of: run }: { of: Run }) {
  return (
    <Note tone="warn">
      <details>
        <summary data-reads="">{text.warnings(run.warnings.length)}</summary>
        <ul>
          {run.warnings.slice(0, 100).map((w) => (
            <li key={`${w.code}${w.external_id}${w.message}`} dir="auto">
              <code>{w.code}</code> {w.message} {w.external_id && <code>{w.external_id}</code>}
            </li>
          ))}
        </ul>
      </details>
    </Note>
  );
}

const kindWords = new Map<string, string>(reportedKinds.map(([key, words]) => [key, words.toLowerCase()]));
const whyAll: Record<string, string> = {
  first_sync: text.firstSyncOfThisConnector,
  settings_changed: text.settingsOrMappingsWereChanged,
  full_older_than_7d: text.theLastFullSyncIsMore,
  full_older_than_1d: text.incrementalSyncsOfThisSystemDo,
  membership_missing: text.aMembershipHasBeenMissingFor,
  no_cursor: text.theSystemDoesNotSupportIncremental,
  full: text.aFullSyncWasRequested,
};
const plain = (code: string | null | undefined) => code && (whyAll[code] ?? code.replaceAll("_", " "));

function RunDetails({ of: run }: { of: Run }) {
  const by = run.requested_by as { display?: string } | null;
  const proven = Object.entries(run.complete)
    .filter(([, whole]) => whole)
    .map(([kind]) => kind);
  return (
    <Facts
      of={[
        [text.startedBy, by?.display ?? run.trigger],
        [text.started, <When key="b" at={run.started_at} none={text.notYet} />],
        [text.ended, <When key="e" at={run.finished_at} none={text.notYet} />],
        [text.duration, lasted(run.duration_ms)],
        [text.mode, plain(run.strategy)],
        [text.reasonForFullSync, plain(run.fallback_reason)],
        [text.completeSync, proven.map((kind) => kindWords.get(kind) ?? kind).join(", ") || text.nothing],
        [
          text.executed,
          run.executed_by.mode === "agent" ? text.byTheAgentOnHostname(run.executed_by.hostname ?? text.itsHost) : text.byTheService,
        ],
        [text.recordLimit, run.max_records ? text.recordsLower(run.max_records) : undefined],
        [text.continues, run.continues_run_id ? <Id key="c" of={run.continues_run_id} /> : undefined],
        [text.chunks, text.nOfUpToRecords(n(run.chunks), run.chunk_size)],
        [text.takenOver, run.resumes > 0 ? text.timesRecordsReadTwice(run.resumes, run.reread) : undefined],
        [text.callback, run.callback_url ? `${run.callback_state ?? "pending"} ${run.callback_error ?? ""}` : undefined],
        [text.id, <Id key="i" of={run.id} />],
      ]}
    />
  );
}
