import * as text from "#text/syncruns";
import type { Connector, Of } from "../../api/types";
import { When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { lasted, n, runWords } from "./words";

type Run = Of<"Run">;

const columns: Column<Run>[] = [
  {
    title: text.started,
    cell: (r) => (
      <Link to="/connectors/$id/runs/$run" params={{ id: r.connector_id, run: r.id }}>
        <When at={r.created_at} />
      </Link>
    ),
    text: (r) => r.created_at,
  },
  {
    title: text.mode,
    cell: (r) => `${r.effective_incremental ? "incremental" : "full"}${r.mode === "preview" ? text.preview : ""}`,
    text: (r) => `${r.effective_incremental ? "incremental" : "full"}${r.mode === "preview" ? text.preview : ""}`,
  },
  {
    title: text.state,
    cell: (r) => (
      <>
        <State of={r.status} words={runWords(r.status)} /> {r.error && <code className="small">{r.error.code}</code>}
      </>
    ),
    text: (r) => r.status,
  },
  { title: text.newLabel, number: true, cell: (r) => n(r.counters.created), text: (r) => r.counters.created },
  { title: text.changed, number: true, cell: (r) => n(r.counters.updated), text: (r) => r.counters.updated },
  {
    title: text.removed,
    number: true,
    cell: (r) => n(r.counters.missing + r.counters.removed),
    text: (r) => r.counters.missing + r.counters.removed,
  },
  { title: text.skipped, number: true, cell: (r) => n(r.counters.skipped), text: (r) => r.counters.skipped },
  { title: text.startedBy, cell: (r) => who(r), text: (r) => who(r) },
  { title: text.duration, number: true, cell: (r) => lasted(r.duration_ms), text: (r) => r.duration_ms },
];

const states = [
  "queued",
  "waiting_agent",
  "running",
  "evaluating",
  "held",
  "applying",
  "succeeded",
  "partial",
  "failed",
  "cancelled",
  "discarded",
  "expired",
  "previewed",
];

/** All runs of a connector. */
export function Runs({ of: c }: { of: Connector }) {
  return (
    <List<Run>
      path={`/connectors/${c.id}/sync-runs`}
      columns={columns}
      views={[
        { name: text.all, query: {} },
        { name: text.failed, query: { status: "failed" } },
        { name: text.held, query: { status: "held" } },
      ]}
      filters={[{ name: "status", words: text.state, options: states.map((s) => [s, runWords(s)] as const) }]}
      open={(r) => ({ to: "/connectors/$id/runs/$run", params: { id: c.id, run: r.id } })}
      csv={`${c.business_id}-runs`}
      every={10_000}
      label={text.runs}
      empty={{
        title: text.noSyncRunsYet,
        words: text.aSyncRunReadsTheSystem,
      }}
    />
  );
}

function who(r: Run): string {
  const by = r.requested_by as { display?: string } | null;
  return r.trigger === "schedule" ? "schedule" : (by?.display ?? r.trigger);
}
