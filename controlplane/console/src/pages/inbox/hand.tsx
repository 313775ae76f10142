import { useState } from "react";
import { ask } from "../../api/client";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { SelectField, TextField, wrongAt } from "../../kit/form";
import { Note } from "../../kit/kit";
import { colleagues, Pick, type Picked } from "../../kit/pick";
import type { Detail } from "./tasks";

/** The dialogs by which a task comes to others. */
export default function Hand({
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

/** Gives a task to somebody else, who decides it from then on. */
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
    done: () => `${to?.words} decides it from now on.`,
    quiet: true,
  });
  const narrow = task.reassign_to.length > 0;
  return (
    <AskFirst
      open
      close={close}
      title="Not yours, or you do not know"
      lead="Say who can decide it. From then on they do, and nobody else; it is written down that you did not."
      verb="Reassign"
      disabled={!to || !reason.trim()}
      act={() => send.mutateAsync()}
    >
      {!task.reassignable && <Note tone="warn">This cannot be given to somebody else. Escalate it instead.</Note>}
      <Pick
        label="Who decides"
        source={colleagues(`/decision-tasks/${task.id}`, { listed: narrow })}
        value={to}
        set={setTo}
        required
        disabled={!task.reassignable}
        error={wrongAt(send.error, "to/0")}
        hint={
          narrow
            ? "Only certain people may be named here."
            : "By name or whole e-mail address: who is at work, can sign in, is not asked already, and is not whom it is about."
        }
      />
      <TextField label="Why" rows={2} max={1000} required value={reason} set={setReason} />
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
    done: "Others are asked besides.",
    quiet: true,
  });
  return (
    <AskFirst
      open
      close={close}
      title="Ask who is above"
      lead="They are asked besides those who are asked already; one of them decides."
      verb="Escalate"
      disabled={!reason.trim()}
      act={() => send.mutateAsync()}
    >
      <SelectField
        label="Whom"
        value={to}
        set={setTo}
        options={[
          ["manager", "The managers of those who decide"],
          ["admin", "The administrators"],
        ]}
      />
      <TextField label="Why" rows={2} max={1000} required value={reason} set={setReason} />
    </AskFirst>
  );
}
