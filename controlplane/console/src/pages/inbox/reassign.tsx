import { useState } from "react";
import { ask } from "../../api/client";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { problemAt, SelectField, TextField } from "../../kit/form";
import { Note } from "../../kit/kit";
import { colleagues, Pick, type Picked } from "../../kit/pick";
import type { Detail } from "./tasks";

/** The dialogs that give a task to other approvers. */
export default function Handover({
  what,
  given,
  ...rest
}: {
  what: "reassign" | "escalate";
  task: Detail;
  close: () => void;
  given: () => void;
}) {
  return what === "reassign" ? <Reassign {...rest} given={given} /> : <Escalate {...rest} />;
}

/** Reassigns a task to another person, who then decides it. */
function Reassign({ task, close, given }: { task: Detail; close: () => void; given: () => void }) {
  const [to, setTo] = useState<Picked | null>(null);
  const [reason, setReason] = useState("");
  const send = useAct<void, Detail>({
    act: async (_, key) => {
      const path = `/decision-tasks/${task.id}/reassign`;
      const now = await ask<Detail>("POST", path, { body: { to: [to?.id], reason }, ifMatch: task.version, key });
      given();
      return now;
    },
    changes: ["/decision-tasks"],
    done: () => `Reassigned to ${to?.words}.`,
    quiet: true,
  });
  const narrow = task.reassign_to.length > 0;
  return (
    <AskFirst
      open
      close={close}
      title="Reassign"
      lead="Select a person who can decide. Only this person can then decide, and the change is recorded."
      verb="Reassign"
      disabled={!to || !reason.trim()}
      act={() => send.mutateAsync()}
    >
      {!task.reassignable && <Note tone="warn">This task cannot be reassigned. Escalate it instead.</Note>}
      <Pick
        label="New approver"
        source={colleagues(`/decision-tasks/${task.id}`, { listed: narrow })}
        value={to}
        set={setTo}
        required
        disabled={!task.reassignable}
        error={problemAt(send.error, "to/0")}
        hint={
          narrow
            ? "Only eligible people are listed."
            : "Search by name or enter a full e-mail address. Only active people with a sign-in who are not yet approvers are listed."
        }
      />
      <TextField label="Reason" rows={2} max={1000} required value={reason} set={setReason} />
    </AskFirst>
  );
}

/** Asks those above whoever decides a task, besides them. */
function Escalate({ task, close }: { task: Detail; close: () => void }) {
  const [to, setTo] = useState<"manager" | "admin">("manager");
  const [reason, setReason] = useState("");
  const send = useAct<void, Detail>({
    act: (_, key) => ask("POST", `/decision-tasks/${task.id}/escalate`, { body: { to, reason }, ifMatch: task.version, key }),
    changes: ["/decision-tasks"],
    done: "Escalated.",
    quiet: true,
  });
  return (
    <AskFirst
      open
      close={close}
      title="Escalate"
      lead="Adds approvers. One of the approvers decides."
      verb="Escalate"
      disabled={!reason.trim()}
      act={() => send.mutateAsync()}
    >
      <SelectField
        label="Escalate to"
        value={to}
        set={setTo}
        options={[
          ["manager", "managers of the approvers"],
          ["admin", "administrators"],
        ]}
      />
      <TextField label="Reason" rows={2} max={1000} required value={reason} set={setReason} />
    </AskFirst>
  );
}
