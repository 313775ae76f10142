import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import * as text from "#text/provisioning";
import { failureSummary, forEachSettled } from "../../api/batch";
import { ask } from "../../api/client";
import { useAct, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Button, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { RetryFailed } from "./retryfailed";
import { can, operationOptions, operationText, sourceOptions, sourceWords, stateOptions, stateTone, stateWords, type Task } from "./words";

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.failed, query: { state: "failed" } },
  { name: text.waitingForAPerson, query: { state: "manual" } },
  { name: text.inDoubt, query: { state: "verifying" } },
  { name: text.inProgress, query: { state: "queued,blocked,running,retrying" } },
];

const filters = [
  { name: "state", words: text.state, options: stateOptions },
  { name: "operation", words: text.change, options: operationOptions },
  { name: "created_from", words: text.source, options: sourceOptions },
];

/** The changes of target systems, and what can be done about those that did not go well. */
export function Tasks() {
  const may = useMay();
  const at = useSearch({ strict: false }) as Record<string, string>;
  const [all, setAll] = useState(false);
  const columns: Column<Task>[] = [
    {
      title: text.change,
      cell: (t) => (
        <Link to="." search={{ ...at, task: t.id }} resetScroll={false}>
          <Text of={operationText(t)} />
        </Link>
      ),
      text: operationText,
    },
    {
      title: text.person,
      cell: (t) => <Text of={t.identity?.display ?? t.account?.display} none="—" />,
      text: (t) => t.identity?.display ?? t.account?.display,
    },
    { title: text.system, cell: (t) => <Text of={t.connector.display} />, text: (t) => t.connector.display },
    { title: text.state, cell: (t) => <TaskState of={t} />, text: (t) => t.state },
    {
      title: text.advice,
      wide: true,
      cell: (t) => (
        <span className="small" dir="auto">
          {t.advice ?? t.waiting?.reason ?? t.error?.message ?? ""}
        </span>
      ),
      text: (t) => t.advice ?? t.waiting?.reason ?? t.error?.message,
    },
    { title: text.source, cell: (t) => sourceWords(t.created_from), text: (t) => t.created_from },
    { title: text.attempts, number: true, cell: (t) => t.attempt_count, text: (t) => t.attempt_count },
    { title: text.created, cell: (t) => <When at={t.created_at} />, text: (t) => t.created_at },
  ];
  return (
    <>
      {may.admin && (
        <div className="row end">
          <Button onClick={() => setAll(true)}>{text.retryAllFailedTasksEllipsis}</Button>
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
        label={text.provisioningTasks}
        {...(may.admin ? { bulk: (rows: Task[], clear: () => void) => <Bulk of={rows} clear={clear} /> } : {})}
        empty={{
          title: text.noProvisioningTasks,
          words: text.changesToTargetSystemsAreListed,
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
      {t.lane === "urgent" && <State of="urgent" tone="warn" words={text.urgent} />}{" "}
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
    done: (r, { what }) =>
      what === "retry"
        ? text.tasksRetriedFailureSummary(r.good, failureSummary(r))
        : text.tasksCanceledFailureSummary(r.good, failureSummary(r)),
    after: clear,
  });
  const [again, ends] = [of.filter(can.retry).length, of.filter(can.cancel).length];
  return (
    <>
      <Button disabled={again === 0 || act.isPending} onClick={() => act.mutate({ what: "retry" })}>
        {text.retryAgain(again)}
      </Button>
      <Button disabled={ends === 0 || act.isPending} onClick={() => setCancelling(true)}>
        {text.cancelEnds(ends)}
      </Button>
      {cancelling && (
        <ConfirmDialog
          open
          close={() => setCancelling(false)}
          title={text.cancelTasks(ends)}
          lead={text.dependentTasksAreCanceledToo}
          verb={text.cancelTasks(ends)}
          keep={text.keepTasks}
          tone="danger"
          act={() => act.mutateAsync({ what: "cancel" })}
        />
      )}
    </>
  );
}
