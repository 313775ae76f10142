import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import { useAct, useGet, useMay } from "../../api/use";
import { Id } from "../../kit/bits";
import { AskFirst, Dialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Facts, Failure, Note, Skeleton, Text, When } from "../../kit/kit";
import { Requests } from "../connectors/requests";
import { TargetError } from "../connectors/target";
import { Tries, Written } from "./taskparts";
import { TaskState } from "./tasks";
import { can, sourceWords, type TaskDetail, whatItDoes } from "./words";

/** A change, beside the list: what it is, why, what was sent, and what can be done about it. */
export function TaskDrawer({ id, close }: { id: string; close: () => void }) {
  const found = useGet<TaskDetail>(`/accounts/provisioning-tasks/${id}`, {}, { every: 5000 });
  const t = found.data;
  return (
    <Dialog open side close={close} title={t ? <Text of={whatItDoes(t)} /> : "A change"} lead={t ? <TaskState of={t} /> : undefined}>
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
              It is tried again <When at={t.waiting.until} />.
            </>
          ) : (
            "It goes on when somebody has acted."
          )}
        </Note>
      )}
      {t.advice && !ended && <Note tone={t.state === "failed" ? "bad" : "info"}>{t.advice}</Note>}
      <Act of={t} />
      {t.error && (
        <div className="stack tight">
          <h3>What the system said</h3>
          <TargetError of={t.error} open />
        </div>
      )}
      <Facts
        of={[
          [
            "For",
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
          ["In", <Text key="c" of={t.connector.display} />],
          ["Because of", sourceWords(t.created_from)],
          ["How", { auto: "sent", manual: "by hand", simulate: "simulated" }[t.mode]],
          ["Planned", <When key="w" at={t.created_at} />],
          ["Sent next", t.next_attempt_at && <When key="n" at={t.next_attempt_at} />],
          ["Ended", t.finished_at && <When key="f" at={t.finished_at} />],
          ["Seen in the system", verifiedWords(t)],
          ["Note", t.note],
          ["Id", <Id key="i" of={t.id} />],
        ]}
      />
      {t.depends_on.length > 0 && (
        <p className="small">
          Has to be done first:{" "}
          {t.depends_on.map((d, i) => (
            <Link key={d} to="." search={{ task: d } as never}>
              {i > 0 ? ", " : ""}the task {d.slice(-6)}
            </Link>
          ))}
        </p>
      )}
      {t.plan.length > 0 && (
        <div className="stack tight">
          <h3>{t.state === "done" ? "What was sent" : "What would be sent"}</h3>
          <Requests of={t.plan} />
        </div>
      )}
      <Written of={t} />
      <Tries of={t} />
    </div>
  );
}

function verifiedWords(t: TaskDetail): string {
  const by: Record<string, string> = { readback: "read back", sync: "shown by a sync", human: "said by a person" };
  if (t.verified?.state === "yes") return by[t.verified.by ?? ""] ?? "yes";
  if (t.verified?.state === "no") return "no: it was not there";
  return t.verified?.state === "pending" ? "not yet: the next complete reading decides" : "not yet";
}

function Act({ of: t }: { of: TaskDetail }) {
  const may = useMay();
  const [completing, setCompleting] = useState(false);
  const [cancelling, setCancelling] = useState(false);
  const [note, setNote] = useState("");
  const at = `/accounts/provisioning-tasks/${t.id}`;
  const changes = ["/accounts", "/decision-tasks"];
  const retry = useAct({ act: (_, key) => ask("POST", `${at}/retry`, { key, ifMatch: t.version }), changes, done: "It is sent again." });
  const cancel = useAct({
    act: (_, key) => ask("POST", `${at}/cancel`, { key, ifMatch: t.version }),
    changes,
    done: "Taken back, with all that waited for it.",
    quiet: true,
  });
  const complete = useAct({
    act: (_, key) => ask("POST", `${at}/complete`, { key, ifMatch: t.version, body: { note } }),
    changes,
    done: "Written down as done by hand.",
    quiet: true,
  });
  if (!may.admin) return null;
  return (
    <div className="row">
      {can.retry(t) && (
        <Button tone="primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
          Retry now
        </Button>
      )}
      {can.complete(t) && <Button onClick={() => setCompleting(true)}>It was done by hand…</Button>}
      {can.cancel(t) && (
        <Button tone="danger" onClick={() => setCancelling(true)}>
          Cancel it…
        </Button>
      )}
      <AskFirst
        open={completing}
        close={() => setCompleting(false)}
        title="It was done by hand"
        lead="Say it only when the change has been made in the system. The next reading is held against it."
        verb="Say that it is done"
        disabled={!note.trim()}
        act={() => complete.mutateAsync()}
      >
        <TextField
          label="What was done"
          rows={2}
          value={note}
          set={setNote}
          required
          max={1000}
          hint="Kept with the task, and in the audit log."
        />
      </AskFirst>
      <AskFirst
        open={cancelling}
        close={() => setCancelling(false)}
        title="Cancel this change"
        lead="It is taken back with all that waits for it. What somebody should still hold is planned anew at the next look: end the reason to be rid of it."
        verb="Cancel the change"
        keep="Keep it"
        tone="danger"
        act={() => cancel.mutateAsync()}
      />
    </div>
  );
}
