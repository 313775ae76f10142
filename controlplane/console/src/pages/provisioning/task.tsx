import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import { useAct, useGet, useMay } from "../../api/use";
import { AskFirst, Dialog } from "../../kit/dialog";
import { Id } from "../../kit/elements";
import { TextField } from "../../kit/form";
import { Button, Facts, Failure, Note, Skeleton, Text, When } from "../../kit/kit";
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
      title={t ? <Text of={operationText(t)} /> : "Provisioning task"}
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
          {t.waiting.reason}{" "}
          {t.waiting.until ? (
            <>
              Next attempt: <When at={t.waiting.until} />.
            </>
          ) : (
            "Waiting for a person."
          )}
        </Note>
      )}
      {t.advice && !ended && <Note tone={t.state === "failed" ? "bad" : "info"}>{t.advice}</Note>}
      <Act of={t} />
      {t.error && (
        <div className="stack tight">
          <h3>Response of the system</h3>
          <TargetError of={t.error} open />
        </div>
      )}
      <Facts
        of={[
          [
            "Person",
            t.identity && (
              <Link key="p" to={"/people/$id" as never} params={{ id: t.identity.id } as never}>
                <Text of={t.identity.display} />
              </Link>
            ),
          ],
          [
            "Account",
            t.account && (
              <Link key="a" to={"/accounts/$id" as never} params={{ id: t.account.id } as never}>
                <Text of={t.account.display} />
              </Link>
            ),
          ],
          [
            "Access",
            t.entitlement && (
              <Link key="e" to={"/access/$id" as never} params={{ id: t.entitlement.id } as never}>
                <Text of={t.entitlement.display} />
              </Link>
            ),
          ],
          ["System", <Text key="c" of={t.connector.display} />],
          ["Source", sourceWords(t.created_from)],
          ["Mode", { auto: "sent", manual: "manual", simulate: "simulated" }[t.mode]],
          ["Planned", <When key="w" at={t.created_at} />],
          ["Next attempt", t.next_attempt_at && <When key="n" at={t.next_attempt_at} />],
          ["Ended", t.finished_at && <When key="f" at={t.finished_at} />],
          ["Verified", verifiedWords(t)],
          ["Note", t.note],
          ["ID", <Id key="i" of={t.id} />],
        ]}
      />
      {t.depends_on.length > 0 && (
        <p className="small">
          Depends on:{" "}
          {t.depends_on.map((d, i) => (
            <Link key={d} to="." search={{ task: d } as never}>
              {i > 0 ? ", " : ""}task {d.slice(-6)}
            </Link>
          ))}
        </p>
      )}
      {t.plan.length > 0 && (
        <div className="stack tight">
          <h3>{t.state === "done" ? "Sent request" : "Planned request"}</h3>
          <Requests of={t.plan} />
        </div>
      )}
      <Written of={t} />
      <Attempts of={t} />
    </div>
  );
}

function verifiedWords(t: TaskDetail): string {
  const by: Record<string, string> = { readback: "read back", sync: "verified by a sync", human: "confirmed by a person" };
  if (t.verified?.state === "yes") return by[t.verified.by ?? ""] ?? "yes";
  if (t.verified?.state === "no") return "no: not found in the system";
  return t.verified?.state === "pending" ? "not yet: decided by the next full sync" : "not yet";
}

function Act({ of: t }: { of: TaskDetail }) {
  const may = useMay();
  const [completing, setCompleting] = useState(false);
  const [cancelling, setCancelling] = useState(false);
  const [note, setNote] = useState("");
  const at = `/accounts/provisioning-tasks/${t.id}`;
  const changes = ["/accounts", "/decision-tasks"];
  const retry = useAct({ act: (_, key) => ask("POST", `${at}/retry`, { key, ifMatch: t.version }), changes, done: "Retried." });
  const cancel = useAct({
    act: (_, key) => ask("POST", `${at}/cancel`, { key, ifMatch: t.version }),
    changes,
    done: "Canceled, with all dependent tasks.",
    quiet: true,
  });
  const complete = useAct({
    act: (_, key) => ask("POST", `${at}/complete`, { key, ifMatch: t.version, body: { note } }),
    changes,
    done: "Recorded as done manually.",
    quiet: true,
  });
  if (!may.admin) return null;
  return (
    <div className="row">
      {can.retry(t) && (
        <Button tone="primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
          Retry
        </Button>
      )}
      {can.complete(t) && <Button onClick={() => setCompleting(true)}>Mark as done…</Button>}
      {can.cancel(t) && (
        <Button tone="danger" onClick={() => setCancelling(true)}>
          Cancel task…
        </Button>
      )}
      <AskFirst
        open={completing}
        close={() => setCompleting(false)}
        title="Mark as done"
        lead="Confirm this only after the change was made in the system. The next sync verifies it."
        verb="Mark as done"
        disabled={!note.trim()}
        act={() => complete.mutateAsync()}
      >
        <TextField
          label="Change made"
          rows={2}
          value={note}
          set={setNote}
          required
          max={1000}
          hint="Kept with the task and in the audit log."
        />
      </AskFirst>
      <AskFirst
        open={cancelling}
        close={() => setCancelling(false)}
        title="Cancel task"
        lead="Dependent tasks are canceled too. If a reason for the access remains, the next evaluation plans the task again. End the reason to prevent this."
        verb="Cancel task"
        keep="Keep task"
        tone="danger"
        act={() => cancel.mutateAsync()}
      />
    </div>
  );
}
