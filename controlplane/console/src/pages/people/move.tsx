import { useState } from "react";
import { ask } from "../../api/client";
import type { IdentityDetail, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { dayEnds } from "../../kit/day";
import { Check, TextField, wrongAt } from "../../kit/form";
import { Tried, useTry } from "../../kit/tryfirst";
import { Impact } from "./impact";

export type Moving = "leave" | "return" | "deactivate" | "reactivate";

const texts: Record<Moving | "withdraw", { title: string; verb: string; lead: string; done: string; reasoned: boolean }> = {
  leave: {
    title: "Start leave",
    verb: "Set the leave",
    lead: "From the first to the last day, both whole days.",
    done: "Their leave is set.",
    reasoned: true,
  },
  return: {
    title: "End their leave",
    verb: "End the leave",
    lead: "They are active from now on.",
    done: "Their leave has ended.",
    reasoned: false,
  },
  deactivate: {
    title: "Offboard",
    verb: "Offboard",
    lead: "Their accounts are disabled first, then their access ends.",
    done: "They leave; what follows from it is under way.",
    reasoned: true,
  },
  reactivate: {
    title: "Make them active",
    verb: "Make them active",
    lead: "Rules give what they give; nothing else of what they had comes back by itself.",
    done: "They are active.",
    reasoned: false,
  },
  withdraw: {
    title: "Withdraw the notice",
    verb: "Withdraw the notice",
    lead: "They stay, and keep what they have.",
    done: "The notice is withdrawn: they stay.",
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
  const tried = useTry<Of<"Acted">>(path, { ...body, reason: "preview" }, true);
  const wrong = (pointer: string) => wrongAt(tried.error, pointer);
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
      verb={urgent ? "End their access now" : t.verb}
      tone={what === "deactivate" ? "danger" : "primary"}
      disabled={Boolean(tried.error) || (t.reasoned && !reason.trim())}
      act={() => move.mutateAsync()}
    >
      {what === "leave" && (
        <div className="fields">
          <TextField label="First day" type="date" value={first} set={setFirst} hint="Today when it is left out." error={wrong("from")} />
          <TextField
            label="Last day"
            type="date"
            value={last}
            set={setLast}
            hint="Until they return when it is left out."
            error={wrong("to")}
          />
        </div>
      )}
      {what === "deactivate" && (
        <>
          <Check
            label="At once: an immediate termination"
            hint="Their access ends before everybody else's, and past the limits that hold large changes back."
            value={urgent}
            set={setUrgent}
          />
          {!urgent && (
            <TextField
              label="Last day"
              type="date"
              value={last}
              set={setLast}
              hint="Now when it is left out."
              error={wrong("effective_at")}
            />
          )}
        </>
      )}
      <TextField label="Reason" rows={2} max={1000} value={reason} set={setReason} required={t.reasoned} />
      <Tried of={tried}>{(a) => <Impact of={a.impact} />}</Tried>
    </AskFirst>
  );
}
