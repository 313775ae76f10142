import { useState } from "react";
import * as text from "#text/people";
import { ask } from "../../api/client";
import type { IdentityDetail, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { dayEnds } from "../../kit/day";
import { ConfirmDialog } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { Check, problemAt, TextField } from "../../kit/form";
import { Impact } from "./impact";

export type LifecycleChange = "leave" | "return" | "deactivate" | "reactivate";

const texts: Record<LifecycleChange | "withdraw", { title: string; verb: string; lead: string; done: string; reasoned: boolean }> = {
  leave: {
    title: text.startLeave,
    verb: text.save,
    lead: text.fromTheFirstToTheLast,
    done: text.leaveSaved,
    reasoned: true,
  },
  return: {
    title: text.endLeave,
    verb: text.endLeave,
    lead: text.thePersonIsActiveFromNow,
    done: text.leaveEnded,
    reasoned: false,
  },
  deactivate: {
    title: text.offboard,
    verb: text.offboard,
    lead: text.accountsAreDisabledFirstThenAccess,
    done: text.offboardingStarted,
    reasoned: true,
  },
  reactivate: {
    title: text.activate,
    verb: text.activate,
    lead: text.policiesGrantAccessAgainOtherAccess,
    done: text.activated,
    reasoned: false,
  },
  withdraw: {
    title: text.withdrawNotice,
    verb: text.withdrawNotice,
    lead: text.thePersonStaysAndKeepsTheir,
    done: text.noticeWithdrawn,
    reasoned: false,
  },
};

/** Whether becoming active is no return: they have not left yet. */
export const withdraws = (p: IdentityDetail, what: LifecycleChange) => what === "reactivate" && p.status === "notice";

/** Moves somebody from one state to another, and shows first what would follow. */
export function Move({ of: p, what, close }: { of: IdentityDetail; what: LifecycleChange; close: () => void }) {
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
  const preview = useDryRun<Of<"Acted">>(path, { ...body, reason: "preview" }, true);
  const wrong = (pointer: string) => problemAt(preview.error, pointer);
  const move = useAct<void, Of<"Acted">>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body: { ...body, reason: reason || undefined }, key, ifMatch: p.version }),
    done: t.done,
    changes: ["/identities", "/entitlements", "/accounts"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={t.title}
      lead={t.lead}
      verb={urgent ? text.endAccessNow : t.verb}
      tone={what === "deactivate" ? "danger" : "primary"}
      disabled={Boolean(preview.error) || (t.reasoned && !reason.trim())}
      act={() => move.mutateAsync()}
    >
      {what === "leave" && (
        <div className="fields">
          <TextField label={text.firstDay} type="date" value={first} set={setFirst} hint={text.todayIfEmpty} error={wrong("from")} />
          <TextField label={text.lastDay} type="date" value={last} set={setLast} hint={text.untilTheReturnIfEmpty} error={wrong("to")} />
        </div>
      )}
      {what === "deactivate" && (
        <>
          <Check label={text.immediateTermination} hint={text.accessIsRevokedWithPriorityAnd} value={urgent} set={setUrgent} />
          {!urgent && (
            <TextField label={text.lastDay} type="date" value={last} set={setLast} hint={text.nowIfEmpty} error={wrong("effective_at")} />
          )}
        </>
      )}
      <TextField label={text.reason} rows={2} max={1000} value={reason} set={setReason} required={t.reasoned} />
      <DryRun of={preview}>{(a) => <Impact of={a.impact} />}</DryRun>
    </ConfirmDialog>
  );
}
