import { Link } from "@tanstack/react-router";
import type { Connector, Of } from "../../api/types";
import { When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { lasted, n, runWords } from "./words";

type Run = Of<"Run">;

const columns: Column<Run>[] = [
  {
    title: "Started",
    cell: (r) => (
      <Link to={"/connectors/$id/runs/$run" as never} params={{ id: r.connector_id, run: r.id } as never}>
        <When at={r.created_at} />
      </Link>
    ),
    text: (r) => r.created_at,
  },
  {
    title: "Mode",
    cell: (r) => `${r.effective_incremental ? "incremental" : "full"}${r.mode === "preview" ? ", preview" : ""}`,
    text: (r) => `${r.effective_incremental ? "incremental" : "full"}${r.mode === "preview" ? ", preview" : ""}`,
  },
  {
    title: "State",
    cell: (r) => (
      <>
        <State of={r.status} words={runWords(r.status)} /> {r.error && <code className="small">{r.error.code}</code>}
      </>
    ),
    text: (r) => r.status,
  },
  { title: "New", number: true, cell: (r) => n(r.counters.created), text: (r) => r.counters.created },
  { title: "Changed", number: true, cell: (r) => n(r.counters.updated), text: (r) => r.counters.updated },
  {
    title: "Removed",
    number: true,
    cell: (r) => n(r.counters.missing + r.counters.removed),
    text: (r) => r.counters.missing + r.counters.removed,
  },
  { title: "Skipped", number: true, cell: (r) => n(r.counters.skipped), text: (r) => r.counters.skipped },
  { title: "Started by", cell: (r) => who(r), text: (r) => who(r) },
  { title: "Duration", number: true, cell: (r) => lasted(r.duration_ms), text: (r) => r.duration_ms },
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
        { name: "All", query: {} },
        { name: "Failed", query: { status: "failed" } },
        { name: "Held", query: { status: "held" } },
      ]}
      filters={[{ name: "status", words: "State", options: states.map((s) => [s, runWords(s)] as const) }]}
      open={(r) => ({ to: "/connectors/$id/runs/$run", params: { id: c.id, run: r.id } })}
      csv={`${c.business_id}-runs`}
      every={10_000}
      label="Runs"
      empty={{
        title: "No sync runs yet",
        words: "A sync run reads the system and stores what has changed. Start one with Sync now.",
      }}
    />
  );
}

function who(r: Run): string {
  const by = r.requested_by as { display?: string } | null;
  return r.trigger === "schedule" ? "schedule" : (by?.display ?? r.trigger);
}
