import { useState } from "react";
import * as text from "#text/separation";
import { ask } from "../../api/client";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { Pick, type Picked, people } from "../../kit/pick";
import type { Violation } from "./words";

const changes = ["/policies/violations", "/decision-tasks", "/audit-events"];

/** Marks a violation as none, with a reason. */
export function MarkFalsePositive({ of: v, close }: { of: Violation; close: () => void }) {
  const [reason, setReason] = useState("");
  const mark = useAct<void, Violation>({
    quiet: true,
    act: (_, key) => ask("POST", `/policies/violations/${v.id}/false-positive`, { body: { reason }, key, ifMatch: v.version }),
    done: text.markedAsFalsePositive,
    changes,
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.markAsFalsePositive}
      lead={text.falsePositiveLead}
      verb={text.mark}
      disabled={!reason.trim()}
      act={() => mark.mutateAsync()}
    >
      <TextField label={text.reason} value={reason} set={setReason} rows={3} max={2000} required />
    </ConfirmDialog>
  );
}

/** Assigns a violation to a person, or to no one. */
export function AssignViolation({ of: v, close }: { of: Violation; close: () => void }) {
  const before = v.assignee ? { id: v.assignee.id, words: v.assignee.display } : null;
  const [who, setWho] = useState<Picked | null>(before);
  const assign = useAct<string | null, Violation>({
    quiet: true,
    act: (id, key) => ask("POST", `/policies/violations/${v.id}/assign`, { body: { identity_id: id }, key, ifMatch: v.version }),
    done: (r) => (r.assignee ? text.assignedTo(r.assignee.display) : text.noLongerAssigned),
    changes,
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.assignTheViolation}
      lead={text.assigneeDecides}
      verb={text.assign}
      disabled={!who || who.id === before?.id}
      act={() => assign.mutateAsync(who?.id ?? null)}
    >
      <Pick label={text.person} source={people} value={who} set={setWho} required />
      {before && (
        <div>
          <Button
            tone="quiet"
            onClick={() => {
              assign.mutate(null, { onSuccess: close });
            }}
          >
            {text.removeTheAssignee}
          </Button>
        </div>
      )}
    </ConfirmDialog>
  );
}
