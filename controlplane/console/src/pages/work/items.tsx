import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import { failureSummary, forEachSettled } from "../../api/batch";
import { useAct, useMay } from "../../api/use";
import { Id } from "../../kit/elements";
import { count } from "../../kit/count";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Text, When } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { base, pageOf, type WorkItem, type WorkKind } from "./words";

const views: View[] = [
  { name: "All", query: {} },
  { name: "Dead letters", query: { state: "dead" } },
  { name: "Waiting", query: { state: "waiting" } },
];

const columns: Column<WorkItem>[] = [
  { title: "Kind", cell: (i) => i.title, text: (i) => i.kind },
  {
    title: "State",
    cell: (i) => <State of={i.state} tone={i.state === "dead" ? "bad" : "info"} words={i.state === "dead" ? "dead letter" : "waiting"} />,
    text: (i) => i.state,
  },
  { title: "Subject", cell: (i) => <Subject of={i} />, text: (i) => i.subject_id },
  { title: "Cause", cell: (i) => i.cause || "–", text: (i) => i.cause },
  { title: "Attempts", number: true, sort: "attempts", cell: (i) => `${i.attempts} of 8`, text: (i) => i.attempts },
  { title: "Last error", wide: true, cell: (i) => <Text of={i.last_error} none="–" />, text: (i) => i.last_error },
  { title: "Failed", sort: "failed_at", cell: (i) => <When at={i.failed_at} none="–" />, text: (i) => i.failed_at },
  { title: "Due", sort: "due_at", cell: (i) => <When at={i.due_at} none="–" />, text: (i) => i.due_at },
];

/** Work items, and what can be done about dead letters. */
export function Items({ kinds }: { kinds: WorkKind[] }) {
  const may = useMay();
  return (
    <List<WorkItem>
      path={base}
      label="Work items"
      columns={columns}
      views={views}
      filters={[
        { name: "state", words: "State", options: [["dead", "dead letter"] as const, ["waiting", "waiting"] as const] },
        { name: "kind", words: "Kind", options: kinds.map((k) => [k.kind, k.title] as const) },
        { name: "subject_id", words: "Subject ID" },
      ]}
      csv="work queue"
      every={10_000}
      {...(may.admin ? { bulk: (rows: WorkItem[], clear: () => void) => <Bulk of={rows} clear={clear} /> } : {})}
      empty={{ title: "No work items", words: "Work is usually done within a second. Items that wait or failed are listed here." }}
    />
  );
}

/** What an item is about, with a link to its page where it has one. */
function Subject({ of: i }: { of: WorkItem }) {
  if (!i.subject_id) return "tenant";
  const to = pageOf(i.subject_type);
  if (!to) return <Id of={i.subject_id} />;
  return (
    <Link to={to as never} params={{ id: i.subject_id } as never}>
      {i.subject_type === "identity" ? "person" : i.subject_type} <code>{i.subject_id.slice(-6)}</code>
    </Link>
  );
}

/** Retries or deletes the dead letters that were selected. Each is sent by itself: some may be gone meanwhile. */
function Bulk({ of, clear }: { of: WorkItem[]; clear: () => void }) {
  const [deleting, setDeleting] = useState(false);
  const dead = of.filter((i) => i.state === "dead");
  const retry = useAct({
    act: (_: undefined) => forEachSettled(dead, (i) => ask("POST", `${base}/${i.id}/retry`)),
    changes: [base],
    done: (r) => `${count(r.good, "dead letter")} retried${failureSummary(r)}`,
    after: clear,
  });
  return (
    <>
      <Button disabled={dead.length === 0 || retry.isPending} onClick={() => retry.mutate(undefined)}>
        Retry {dead.length}
      </Button>
      <Button tone="danger" disabled={dead.length === 0} onClick={() => setDeleting(true)}>
        Delete {dead.length}…
      </Button>
      {deleting && <Delete of={dead} close={() => setDeleting(false)} done={clear} />}
    </>
  );
}

/** Asks for the reason before dead letters are deleted. */
function Delete({ of, close, done }: { of: WorkItem[]; close: () => void; done: () => void }) {
  const [reason, setReason] = useState("");
  const remove = useAct({
    act: (why: string) => forEachSettled(of, (i) => ask("DELETE", `${base}/${i.id}`, { query: { reason: why } })),
    changes: [base],
    done: (r) => `${count(r.good, "dead letter")} deleted${failureSummary(r)}`,
    after: done,
    quiet: true,
  });
  return (
    <AskFirst
      open
      close={close}
      title={`Delete ${count(of.length, "dead letter")}?`}
      lead="The work is not done, unless the subject changes again. The audit log keeps the error and your reason."
      verb="Delete"
      tone="danger"
      disabled={!reason.trim()}
      act={() => remove.mutateAsync(reason.trim())}
    >
      <TextField label="Reason" value={reason} set={setReason} required max={1000} autoFocus />
    </AskFirst>
  );
}
