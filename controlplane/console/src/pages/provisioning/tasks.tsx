import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { failureSummary, forEachSettled } from "../../api/batch";
import { ask } from "../../api/client";
import { useAct, useMay } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Button, Text, When } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { many } from "../connectors/words";
import { RetryFailed } from "./retryfailed";
import { can, operationOptions, operationText, sourceOptions, sourceWords, stateOptions, stateTone, stateWords, type Task } from "./words";

const views: View[] = [
  { name: "All", query: {} },
  { name: "Failed", query: { state: "failed" } },
  { name: "Waiting for a person", query: { state: "manual" } },
  { name: "In doubt", query: { state: "verifying" } },
  { name: "In progress", query: { state: "queued,blocked,running,retrying" } },
];

const filters = [
  { name: "state", words: "State", options: stateOptions },
  { name: "operation", words: "Change", options: operationOptions },
  { name: "created_from", words: "Source", options: sourceOptions },
];

/** The changes of target systems, and what can be done about those that did not go well. */
export function Tasks() {
  const may = useMay();
  const at = useSearch({ strict: false }) as Record<string, string>;
  const [all, setAll] = useState(false);
  const columns: Column<Task>[] = [
    {
      title: "Change",
      cell: (t) => (
        <Link to="." search={{ ...at, task: t.id } as never} resetScroll={false}>
          <Text of={operationText(t)} />
        </Link>
      ),
      text: operationText,
    },
    {
      title: "Person",
      cell: (t) => <Text of={t.identity?.display ?? t.account?.display} none="—" />,
      text: (t) => t.identity?.display ?? t.account?.display,
    },
    { title: "System", cell: (t) => <Text of={t.connector.display} />, text: (t) => t.connector.display },
    { title: "State", cell: (t) => <TaskState of={t} />, text: (t) => t.state },
    {
      title: "Advice",
      wide: true,
      cell: (t) => (
        <span className="small" dir="auto">
          {t.advice ?? t.waiting?.reason ?? t.error?.message ?? ""}
        </span>
      ),
      text: (t) => t.advice ?? t.waiting?.reason ?? t.error?.message,
    },
    { title: "Source", cell: (t) => sourceWords(t.created_from), text: (t) => t.created_from },
    { title: "Attempts", number: true, cell: (t) => t.attempt_count, text: (t) => t.attempt_count },
    { title: "Created", cell: (t) => <When at={t.created_at} />, text: (t) => t.created_at },
  ];
  return (
    <>
      {may.admin && (
        <div className="row end">
          <Button onClick={() => setAll(true)}>Retry all failed tasks…</Button>
        </div>
      )}
      <List<Task>
        path="/accounts/provisioning-tasks"
        columns={columns}
        views={views}
        filters={filters}
        {...(at.connector_id ? { fixed: { connector_id: at.connector_id } } : {})}
        open={(t) => ({ to: ".", search: { ...at, task: t.id } })}
        csv="provisioning"
        every={10_000}
        label="Provisioning tasks"
        {...(may.admin ? { bulk: (rows: Task[], clear: () => void) => <Bulk of={rows} clear={clear} /> } : {})}
        empty={{
          title: "No provisioning tasks",
          words: "Changes to target systems are listed here.",
        }}
      />
      {all && <RetryFailed close={() => setAll(false)} />}
    </>
  );
}

/** The state of a task, with what keeps everything from being sent where something does. */
export function TaskState({ of: t }: { of: Task }) {
  return (
    <>
      <State of={t.state} tone={stateTone(t.state)} words={stateWords(t.state)} />{" "}
      {t.lane === "urgent" && <State of="urgent" tone="warn" words="urgent" />}{" "}
      {t.waiting && <State of="paused" tone="warn" words={t.waiting.code.replaceAll("_", " ")} />}
    </>
  );
}

/** Retries or cancels what was selected, each by itself: some may have gone on meanwhile. */
function Bulk({ of, clear }: { of: Task[]; clear: () => void }) {
  const [cancelling, setCancelling] = useState(false);
  const act = useAct({
    act: ({ what }: { what: "retry" | "cancel" }) =>
      forEachSettled(of.filter(can[what]), (t) => ask("POST", `/accounts/provisioning-tasks/${t.id}/${what}`, { ifMatch: t.version })),
    changes: ["/accounts/provisioning-tasks"],
    done: (r, { what }) => `${many(r.good, "task")} ${what === "retry" ? "retried" : "canceled"}${failureSummary(r)}`,
    after: clear,
  });
  const [again, ends] = [of.filter(can.retry).length, of.filter(can.cancel).length];
  return (
    <>
      <Button disabled={again === 0 || act.isPending} onClick={() => act.mutate({ what: "retry" })}>
        Retry {again}
      </Button>
      <Button disabled={ends === 0 || act.isPending} onClick={() => setCancelling(true)}>
        Cancel {ends}…
      </Button>
      {cancelling && (
        <AskFirst
          open
          close={() => setCancelling(false)}
          title={`Cancel ${many(ends, "task")}`}
          lead="Dependent tasks are canceled too. If a reason for the access remains, the next evaluation plans the task again."
          verb={`Cancel ${many(ends, "task")}`}
          keep="Keep tasks"
          tone="danger"
          act={() => act.mutateAsync({ what: "cancel" })}
        />
      )}
    </>
  );
}
