import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { count } from "../../kit/count";
import { Id } from "../../kit/elements";
import { Button, Facts, Failure, Head, Note, Part, Skeleton, Text, When } from "../../kit/kit";
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
import { canSync, isInProgress, lasted, many, n, runWords } from "./words";

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
            <Link to="/connectors">Connectors</Link> ·{" "}
            <Link to={"/connectors/$id/$tab" as never} params={{ id, tab: "runs" } as never}>
              <Text of={connector.data?.name ?? run.connector_business_id} />
            </Link>
          </>
        }
        title="Sync run"
        lead={
          <>
            {run.mode === "preview" ? "Preview of " : ""}
            {run.effective_incremental ? "an incremental sync" : "a full sync"}, started <When at={run.created_at} />
          </>
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
    done: "The run is being canceled. Changes that were applied stay.",
  });
  if (!may.admin) return null;
  if (isInProgress(run.status))
    return (
      <Button tone="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel run
      </Button>
    );
  if (!c || !cameToNothing.includes(run.status) || !canSync(c.status)) return null;
  return (
    <>
      <Button tone="primary" onClick={() => setAgain(true)}>
        Sync again
      </Button>
      {again && <SyncNow of={c} open close={() => setAgain(false)} />}
    </>
  );
}

const cameToNothing = ["failed", "cancelled", "expired", "discarded"];

const parts = [
  ["changes", "Changes"],
  ["groups", "Groups"],
  ["errors", "Rejected records"],
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
      {run.mode === "preview" && <Note>This run was a preview. Nothing was saved.</Note>}
      {run.warnings.length > 0 && <Warnings of={run} />}
      <Part title="Result">
        <Report of={run} />
      </Part>
      <nav className="tabs" aria-label="Sections of the run">
        {parts.map(([key, words]) => (
          <Link
            key={key}
            to="."
            search={{ part: key } as never}
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
      <Part title="Details">
        <section className="card padded" aria-label="Details">
          <HowItWasDone of={run} />
        </section>
      </Part>
    </>
  );
}

function Warnings({ of: run }: { of: Run }) {
  return (
    <Note tone="warn">
      <details>
        <summary data-reads="">{many(run.warnings.length, "warning")}</summary>
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
  first_sync: "first sync of this connector",
  settings_changed: "settings or mappings were changed",
  full_older_than_7d: "the last full sync is more than seven days old",
  full_older_than_1d: "incremental syncs of this system do not show removed memberships, and the last full sync was more than a day ago",
  membership_missing: "a membership has been missing for a day and could not be confirmed as removed",
  no_cursor: "the system does not support incremental syncs",
  full: "a full sync was requested",
};
const plain = (code: string | null | undefined) => code && (whyAll[code] ?? code.replaceAll("_", " "));

function HowItWasDone({ of: run }: { of: Run }) {
  const by = run.requested_by as { display?: string } | null;
  const proven = Object.entries(run.complete)
    .filter(([, whole]) => whole)
    .map(([kind]) => kind);
  return (
    <Facts
      of={[
        ["Started by", by?.display ?? run.trigger],
        ["Started", <When key="b" at={run.started_at} none="not yet" />],
        ["Ended", <When key="e" at={run.finished_at} none="not yet" />],
        ["Duration", lasted(run.duration_ms)],
        ["Mode", plain(run.strategy)],
        ["Reason for full sync", plain(run.fallback_reason)],
        ["Complete sync", proven.map((kind) => kindWords.get(kind) ?? kind).join(", ") || "nothing"],
        ["Executed", run.executed_by.mode === "agent" ? `by the agent on ${run.executed_by.hostname ?? "its host"}` : "by the service"],
        ["Record limit", run.max_records ? many(run.max_records, "record") : undefined],
        ["Continues", run.continues_run_id ? <Id key="c" of={run.continues_run_id} /> : undefined],
        ["Chunks", `${n(run.chunks)} of up to ${count(run.chunk_size, "record")}`],
        ["Taken over", run.resumes > 0 ? `${many(run.resumes, "time")}, ${many(run.reread, "record")} read twice` : undefined],
        ["Callback", run.callback_url ? `${run.callback_state ?? "pending"} ${run.callback_error ?? ""}` : undefined],
        ["ID", <Id key="i" of={run.id} />],
      ]}
    />
  );
}
