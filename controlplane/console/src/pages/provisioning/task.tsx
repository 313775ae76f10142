import { useState } from "react";
import * as text from "#text/provisioning";
import { ask } from "../../api/client";
import { useAct, useGet, useMay } from "../../api/use";
import { ConfirmDialog, Dialog } from "../../kit/dialog";
import { Id } from "../../kit/elements";
import { TextField } from "../../kit/form";
import { Button, Facts, Failure, Note, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Requests } from "../connectors/requests";
import { TargetError } from "../connectors/target";
import { Attempts, Written } from "./taskparts";
import { TaskState } from "./tasks";
import { can, operationText, sourceWords, type TaskDetail } from "./words";

/** A change, beside the list: what it is, why, what was sent, and what can be done about it. */
export function TaskDrawer({ id, close }: { id: string; close: () => void }) {
  const found = useGet<TaskDetail>(`/accounts/provisioning-tasks/${id}`, {}, { every: 5000 });
  const t = found.data;
  return (
    <Dialog
      open
      side
      close={close}
      title={t ? <Text of={operationText(t)} /> : text.provisioningTask}
      lead={t ? <TaskState of={t} /> : undefined}
    >
      {t ? (
        <Content of={t} />
      ) : found.isPending ? (
        <Skeleton rows={6} />
      ) : (
        <Failure error={found.error} retry={() => void found.refetch()} />
      )}
    </Dialog>
  );
}

function Content({ of: t }: { of: TaskDetail }) {
  const ended = t.state === "done" || t.state === "cancelled" || t.state === "simulated";
  return (
    <div className="stack">
      {t.waiting && (
        <Note tone="warn">
          {t.waiting.reason} {t.waiting.until ? text.nextAttemptUntil(<When at={t.waiting.until} />) : text.waitingForAPersonSentence}
        </Note>
      )}
      {t.advice && !ended && <Note tone={t.state === "failed" ? "bad" : "info"}>{t.advice}</Note>}
      <Act of={t} />
      {t.error && (
        <div className="stack tight">
          <h3>{text.responseOfTheSystem}</h3>
          <TargetError of={t.error} open />
        </div>
      )}
      <Facts
        of={[
          [
            text.person,
            t.identity && (
              <Link key="p" to="/people/$id" params={{ id: t.identity.id }}>
                <Text of={t.identity.display} />
              </Link>
            ),
          ],
          [
            text.account,
            t.account && (
              <Link key="a" to="/accounts/$id" params={{ id: t.account.id }}>
                <Text of={t.account.display} />
              </Link>
            ),
          ],
          [
            text.access,
            t.entitlement && (
              <Link key="e" to="/access/$id" params={{ id: t.entitlement.id }}>
                <Text of={t.entitlement.display} />
              </Link>
            ),
          ],
          [text.system, <Text key="c" of={t.connector.display} />],
          [text.source, sourceWords(t.created_from)],
          [text.mode, { auto: "sent", manual: "manual", simulate: "simulated" }[t.mode]],
          [text.planned, <When key="w" at={t.created_at} />],
          [text.nextAttempt, t.next_attempt_at && <When key="n" at={t.next_attempt_at} />],
          [text.ended, t.finished_at && <When key="f" at={t.finished_at} />],
          [text.verified, verifiedWords(t)],
          [text.note, t.note],
          [text.id, <Id key="i" of={t.id} />],
        ]}
      />
      {t.depends_on.length > 0 && (
        <p className="small">
          {text.dependsOn}{" "}
          {t.depends_on.map((d, i) => (
            <Link key={d} to="." search={{ task: d }}>
              {text.valueTaskD(i > 0 ? ", " : "", d.slice(-6))}
            </Link>
          ))}
        </p>
      )}
      {t.plan.length > 0 && (
        <div className="stack tight">
          <h3>{t.state === "done" ? text.sentRequest : text.plannedRequest}</h3>
          <Requests of={t.plan} />
        </div>
      )}
      <Written of={t} />
      <Attempts of={t} />
    </div>
  );
}

function verifiedWords(t: TaskDetail): string {
  const by: Record<string, string> = { readback: text.readBack, sync: text.verifiedByASync, human: text.confirmedByAPerson };
  if (t.verified?.state === "yes") return by[t.verified.by ?? ""] ?? "yes";
  if (t.verified?.state === "no") return text.noNotFoundInTheSystem;
  return t.verified?.state === "pending" ? text.notYetDecidedByTheNext : text.notYet;
}

function Act({ of: t }: { of: TaskDetail }) {
  const may = useMay();
  const [completing, setCompleting] = useState(false);
  const [cancelling, setCancelling] = useState(false);
  const [note, setNote] = useState("");
  const at = `/accounts/provisioning-tasks/${t.id}`;
  const changes = ["/accounts", "/decision-tasks"];
  const retry = useAct({ act: (_, key) => ask("POST", `${at}/retry`, { key, ifMatch: t.version }), changes, done: text.retried });
  const cancel = useAct({
    act: (_, key) => ask("POST", `${at}/cancel`, { key, ifMatch: t.version }),
    changes,
    done: text.canceledWithAllDependentTasks,
    quiet: true,
  });
  const complete = useAct({
    act: (_, key) => ask("POST", `${at}/complete`, { key, ifMatch: t.version, body: { note } }),
    changes,
    done: text.recordedAsDoneManually,
    quiet: true,
  });
  if (!may.admin) return null;
  return (
    <div className="row">
      {can.retry(t) && (
        <Button tone="primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
          {text.retry}
        </Button>
      )}
      {can.complete(t) && <Button onClick={() => setCompleting(true)}>{text.markAsDoneEllipsis}</Button>}
      {can.cancel(t) && (
        <Button tone="danger" onClick={() => setCancelling(true)}>
          {text.cancelTaskEllipsis}
        </Button>
      )}
      <ConfirmDialog
        open={completing}
        close={() => setCompleting(false)}
        title={text.markAsDone}
        lead={text.confirmThisOnlyAfterTheChange}
        verb={text.markAsDone}
        disabled={!note.trim()}
        act={() => complete.mutateAsync()}
      >
        <TextField label={text.changeMade} rows={2} value={note} set={setNote} required max={1000} hint={text.keptWithTheTaskAndIn} />
      </ConfirmDialog>
      <ConfirmDialog
        open={cancelling}
        close={() => setCancelling(false)}
        title={text.cancelTask}
        lead={text.dependentTasksAreCanceledTooHint}
        verb={text.cancelTask}
        keep={text.keepTask}
        tone="danger"
        act={() => cancel.mutateAsync()}
      />
    </div>
  );
}
