import { useState } from "react";
import { ask } from "../../api/client";
import type { IdentityDetail, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Differences } from "../../kit/diff";
import { Check, TextField } from "../../kit/form";
import { Note } from "../../kit/kit";
import { Tried, useTry } from "../../kit/tryfirst";

export type Moving = "leave" | "return" | "deactivate" | "reactivate";

const texts: Record<Moving, { title: string; verb: string; lead: string; done: string; reasoned: boolean }> = {
  leave: {
    title: "Let them be on leave",
    verb: "Let them go",
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
    title: "Let them leave",
    verb: "Let them leave",
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
};

/** Moves somebody from one state to another, and shows first what would follow. */
export function Move({ of: p, what, close }: { of: IdentityDetail; what: Moving; close: () => void }) {
  const [reason, setReason] = useState("");
  const [first, setFirst] = useState("");
  const [last, setLast] = useState("");
  const [urgent, setUrgent] = useState(false);
  const t = texts[what];
  const path = `/identities/${p.id}/${what}`;
  const body = {
    ...(what === "leave" ? { from: first || undefined, to: last || undefined } : {}),
    ...(what === "deactivate"
      ? { effective_at: last && !urgent ? new Date(`${last}T23:59:59`).toISOString() : undefined, urgent: urgent || undefined }
      : {}),
  };
  const tried = useTry<Of<"Acted">>(path, { ...body, reason: "preview" }, true);
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
          <TextField label="First day" type="date" value={first} set={setFirst} hint="Today when it is left out." />
          <TextField label="Last day" type="date" value={last} set={setLast} hint="Until they return when it is left out." />
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
          {!urgent && <TextField label="Last day" type="date" value={last} set={setLast} hint="Now when it is left out." />}
        </>
      )}
      <TextField label="Reason" rows={2} max={1000} value={reason} set={setReason} required={t.reasoned} />
      <Tried of={tried}>{(a) => <Impact of={a.impact} />}</Tried>
    </AskFirst>
  );
}

const affected: Record<string, string> = {
  accounts: "accounts",
  grants: "accesses",
  reasons: "reasons for access",
  owned_entitlements: "accesses that they own",
  reports: "people who report to them",
  sponsored: "people and machines whom they sponsor",
};

function Impact({ of }: { of: Of<"Impact"> | undefined }) {
  if (!of) return null;
  const hangs = Object.entries(of.affects ?? {}).filter(([, n]) => n > 0);
  return (
    <>
      {hangs.length > 0 && (
        <p className="small">
          On them hang {hangs.map(([k, n]) => `${n.toLocaleString("en")} ${affected[k] ?? k.replaceAll("_", " ")}`).join(", ")}.
        </p>
      )}
      <Differences of={(of.changes ?? []).filter((c) => c.field !== "status_reason")} />
      {(of.warnings ?? []).map((w) => (
        <Note key={w} tone="warn">
          {w}
        </Note>
      ))}
    </>
  );
}
