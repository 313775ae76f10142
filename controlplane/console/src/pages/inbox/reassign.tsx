import { useState } from "react";
import * as text from "#text/inbox";
import { ask } from "../../api/client";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { problemAt, SelectField, TextField } from "../../kit/form";
import { Note } from "../../kit/kit";
import { colleagues, Pick, type Picked } from "../../kit/pick";
import type { Detail } from "./tasks";

/** The dialogs that give a task to other approvers. */
export default function ReassignOrEscalate({
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
    done: () => text.reassignedToWords(to?.words),
    quiet: true,
  });
  const narrow = task.reassign_to.length > 0;
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.reassign}
      lead={text.selectAPersonWhoCanDecide}
      verb={text.reassign}
      disabled={!to || !reason.trim()}
      act={() => send.mutateAsync()}
    >
      {!task.reassignable && <Note tone="warn">{text.thisTaskCannotBeReassignedEscalate}</Note>}
      <Pick
        label={text.newApprover}
        source={colleagues(`/decision-tasks/${task.id}`, { listed: narrow })}
        value={to}
        set={setTo}
        required
        disabled={!task.reassignable}
        error={problemAt(send.error, "to/0")}
        hint={narrow ? text.onlyEligiblePeopleAreListed : text.searchForAnApproverToAdd}
      />
      <TextField label={text.reason} rows={2} max={1000} required value={reason} set={setReason} />
    </ConfirmDialog>
  );
}

/** Asks those above whoever decides a task, besides them. */
function Escalate({ task, close }: { task: Detail; close: () => void }) {
  const [to, setTo] = useState<"manager" | "admin">("manager");
  const [reason, setReason] = useState("");
  const send = useAct<void, Detail>({
    act: (_, key) => ask("POST", `/decision-tasks/${task.id}/escalate`, { body: { to, reason }, ifMatch: task.version, key }),
    changes: ["/decision-tasks"],
    done: text.escalated,
    quiet: true,
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.escalate}
      lead={text.addsApproversOneOfTheApprovers}
      verb={text.escalate}
      disabled={!reason.trim()}
      act={() => send.mutateAsync()}
    >
      <SelectField
        label={text.escalateTo}
        value={to}
        set={setTo}
        options={[
          ["manager", text.managersOfTheApprovers],
          ["admin", text.administrators],
        ]}
      />
      <TextField label={text.reason} rows={2} max={1000} required value={reason} set={setReason} />
    </ConfirmDialog>
  );
}
