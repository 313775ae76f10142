import { useState } from "react";
import * as text from "#text/work";
import { failureSummary, forEachSettled } from "../../api/batch";
import { ask } from "../../api/client";
import { useAct, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Id } from "../../kit/elements";
import { TextField } from "../../kit/form";
import { Button, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { base, pageOf, type WorkItem, type WorkKind } from "./words";

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.deadLetters, query: { state: "dead" } },
  { name: text.waiting, query: { state: "waiting" } },
];

const columns: Column<WorkItem>[] = [
  { title: text.kind, cell: (i) => i.title, text: (i) => i.kind },
  {
    title: text.state,
    cell: (i) => (
      <State of={i.state} tone={i.state === "dead" ? "bad" : "info"} words={i.state === "dead" ? text.deadLetter : text.waitingState} />
    ),
    text: (i) => i.state,
  },
  { title: text.subject, cell: (i) => <Subject of={i} />, text: (i) => i.subject_id },
  { title: text.cause, cell: (i) => i.cause || "–", text: (i) => i.cause },
  { title: text.attempts, number: true, sort: "attempts", cell: (i) => text.attemptsOf(i.attempts), text: (i) => i.attempts },
  { title: text.lastError, wide: true, cell: (i) => <Text of={i.last_error} none="–" />, text: (i) => i.last_error },
  { title: text.failed, sort: "failed_at", cell: (i) => <When at={i.failed_at} none="–" />, text: (i) => i.failed_at },
  { title: text.due, sort: "due_at", cell: (i) => <When at={i.due_at} none="–" />, text: (i) => i.due_at },
];

/** Work items, and what can be done about dead letters. */
export function Items({ kinds }: { kinds: WorkKind[] }) {
  const may = useMay();
  return (
    <List<WorkItem>
      path={base}
      label={text.workItems}
      columns={columns}
      views={views}
      filters={[
        { name: "state", words: text.state, options: [["dead", text.deadLetter] as const, ["waiting", text.waitingState] as const] },
        { name: "kind", words: text.kind, options: kinds.map((k) => [k.kind, k.title] as const) },
        { name: "subject_id", words: text.subjectId },
      ]}
      csv={text.csvWorkQueue}
      every={10_000}
      {...(may.admin ? { bulk: (rows: WorkItem[], clear: () => void) => <Bulk of={rows} clear={clear} /> } : {})}
      empty={{ title: text.noWorkItems, words: text.workIsUsuallyDone }}
    />
  );
}

/** What an item is about, with a link to its page where it has one. */
function Subject({ of: i }: { of: WorkItem }) {
  if (!i.subject_id) return text.tenantState;
  const to = pageOf(i.subject_type);
  if (!to) return <Id of={i.subject_id} />;
  return (
    <Link to={to} params={{ id: i.subject_id }}>
      {i.subject_type === "identity" ? text.person : i.subject_type} <code>{i.subject_id.slice(-6)}</code>
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
    done: (r) => text.deadLettersRetried(r.good, failureSummary(r)),
    after: clear,
  });
  return (
    <>
      <Button disabled={dead.length === 0 || retry.isPending} onClick={() => retry.mutate(undefined)}>
        {text.retryCount(dead.length)}
      </Button>
      <Button tone="danger" disabled={dead.length === 0} onClick={() => setDeleting(true)}>
        {text.deleteCount(dead.length)}
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
    done: (r) => text.deadLettersDeleted(r.good, failureSummary(r)),
    after: done,
    quiet: true,
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.deleteDeadLetters(of.length)}
      lead={text.theWorkIsNotDone}
      verb={text.deleteLabel}
      tone="danger"
      disabled={!reason.trim()}
      act={() => remove.mutateAsync(reason.trim())}
    >
      <TextField label={text.reason} value={reason} set={setReason} required max={1000} autoFocus />
    </ConfirmDialog>
  );
}
