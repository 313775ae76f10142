import { useState } from "react";
import { ask } from "../../api/client";
import type { IdentityDetail, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { dayEnds } from "../../kit/day";
import { AskFirst } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { Check, problemAt, TextField } from "../../kit/form";
import { Impact } from "./impact";

export type Moving = "leave" | "return" | "deactivate" | "reactivate";

const texts: Record<Moving | "withdraw", { title: string; verb: string; lead: string; done: string; reasoned: boolean }> = {
  leave: {
    title: "Start leave",
    verb: "Save",
    lead: "From the first to the last day, inclusive.",
    done: "Leave saved.",
    reasoned: true,
  },
  return: {
    title: "End leave",
    verb: "End leave",
    lead: "The person is active from now on.",
    done: "Leave ended.",
    reasoned: false,
  },
  deactivate: {
    title: "Offboard",
    verb: "Offboard",
    lead: "Accounts are disabled first, then access is revoked.",
    done: "Offboarding started.",
    reasoned: true,
  },
  reactivate: {
    title: "Activate",
    verb: "Activate",
    lead: "Policies grant access again. Other access is not restored.",
    done: "Activated.",
    reasoned: false,
  },
  withdraw: {
    title: "Withdraw notice",
    verb: "Withdraw notice",
    lead: "The person stays and keeps their access.",
    done: "Notice withdrawn.",
    reasoned: false,
  },
};

/** Whether becoming active is no return: they have not left yet. */
export const withdraws = (p: IdentityDetail, what: Moving) => what === "reactivate" && p.status === "notice";

/** Moves somebody from one state to another, and shows first what would follow. */
export function Move({ of: p, what, close }: { of: IdentityDetail; what: Moving; close: () => void }) {
  const [reason, setReason] = useState("");
  const [first, setFirst] = useState("");
  const [last, setLast] = useState("");
  const [urgent, setUrgent] = useState(false);
  const [t] = useState(texts[withdraws(p, what) ? "withdraw" : what]); // as it was asked: the record is read again before this closes
  const path = `/identities/${p.id}/${what}`;
  const body = {
    ...(what === "leave" ? { from: first || undefined, to: last || undefined } : {}),
    ...(what === "deactivate" ? { effective_at: last && !urgent ? dayEnds(last) : undefined, urgent: urgent || undefined } : {}),
  };
  const tried = useDryRun<Of<"Acted">>(path, { ...body, reason: "preview" }, true);
  const wrong = (pointer: string) => problemAt(tried.error, pointer);
  const move = useAct<void, Of<"Acted">>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body: { ...body, reason: reason || undefined }, key, ifMatch: p.version }),
    done: t.done,
    changes: ["/identities", "/entitlements", "/accounts"],
  });
  return (
    <AskFirst
      open
      close={close}
      title={t.title}
      lead={t.lead}
      verb={urgent ? "End access now" : t.verb}
      tone={what === "deactivate" ? "danger" : "primary"}
      disabled={Boolean(tried.error) || (t.reasoned && !reason.trim())}
      act={() => move.mutateAsync()}
    >
      {what === "leave" && (
        <div className="fields">
          <TextField label="First day" type="date" value={first} set={setFirst} hint="Today if empty." error={wrong("from")} />
          <TextField label="Last day" type="date" value={last} set={setLast} hint="Until the return if empty." error={wrong("to")} />
        </div>
      )}
      {what === "deactivate" && (
        <>
          <Check
            label="Immediate termination"
            hint="Access is revoked with priority and without the limits that hold large changes."
            value={urgent}
            set={setUrgent}
          />
          {!urgent && (
            <TextField label="Last day" type="date" value={last} set={setLast} hint="Now if empty." error={wrong("effective_at")} />
          )}
        </>
      )}
      <TextField label="Reason" rows={2} max={1000} value={reason} set={setReason} required={t.reasoned} />
      <DryRun of={tried}>{(a) => <Impact of={a.impact} />}</DryRun>
    </AskFirst>
  );
}
