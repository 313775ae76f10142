import { useState } from "react";
import * as text from "#text/requests";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { DurationField } from "../../kit/durationfield";
import { Check, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { showRefusal, showToast } from "../../kit/toast";
import { RequestAgain } from "./requestagain";
import type { RequestPermissions } from "./words";

type Request = Of<"AccessRequest">;
type What = "approve" | "reject" | "cancel" | "extend" | "return" | "back" | undefined;

const titles = {
  approve: [text.approve, text.approve],
  reject: [text.reject, text.reject],
  cancel: [text.withdrawThisRequest, text.withdraw],
  extend: [text.requestExtension, text.request],
  return: [text.returnThisAccess, text.returnLabel],
  back: [text.withdrawYourApproval, text.withdrawApproval],
} as const;

const leads = {
  approve: text.theRequestContinuesWithTheNext,
  reject: text.theRequesterCanReadYourReason,
  cancel: text.openPartsOfTheRequestAre,
  extend: text.thisCreatesANewRequestThe,
  return: text.theAccessIsRevokedNoApproval,
  back: text.theDecisionIsOpenAgainYou,
} as const;

/** What can be done with a request by whoever looks at it. */
export function Actions({ of: r, can }: { of: Request; can: RequestPermissions }) {
  const [doing, setDoing] = useState<What>();
  const more = [
    can.extends && { words: text.requestExtension, act: () => setDoing("extend") },
    can.takesBack && { words: text.withdrawYourApproval, act: () => setDoing("back") },
    can.cancels && { words: text.withdraw, act: () => setDoing("cancel"), danger: true },
    can.returns && { words: text.returnThisAccess, act: () => setDoing("return"), danger: true },
  ];
  return (
    <>
      {can.decides && (
        <>
          <Button tone="primary" onClick={() => setDoing("approve")}>
            {text.approve}
          </Button>
          <Button tone="danger" onClick={() => setDoing("reject")}>
            {text.reject}
          </Button>
        </>
      )}
      {can.comments && r.kind === "grant" && r.closed_at && <RequestAgain of={r} />}
      <Menu words={text.more} of={more} />
      {doing && <ActionDialog what={doing} of={r} can={can} close={() => setDoing(undefined)} />}
    </>
  );
}

function ActionDialog({ what, of: r, can, close }: { what: NonNullable<What>; of: Request; can: RequestPermissions; close: () => void }) {
  const member = { approve: "decide", reject: "decide", cancel: "withdraw", extend: "extend", return: "return", back: "withdraw-approval" }[
    what
  ];
  const items = r.items.filter((i) => i.allowed.includes(member) && (member !== "decide" || can.asked(i)));
  const [chosen, choose] = useState(items.map((i) => i.id));
  const [reason, setReason] = useState("");
  const navigate = useGo();
  const [span, setSpan] = useState("P30D");
  const [until, setUntil] = useState("");
  const act = useAct({
    quiet: true,
    act: (_: string, key) => send(what, r, chosen, { reason: reason.trim(), span, until }, key),
    changes: ["/access-requests", "/decision-tasks", "/identities"],
    // More time is a request of its own: that is where its way is seen.
    after: (made) => what === "extend" && void navigate({ to: "/requests/$id", params: { id: (made as Request).id } }),
  });
  const pick = what !== "cancel" && items.length > 1;
  return (
    <ConfirmDialog
      open
      close={close}
      title={titles[what][0]}
      lead={leads[what]}
      verb={titles[what][1]}
      tone={what === "reject" || what === "return" || what === "cancel" ? "danger" : "primary"}
      disabled={(pick && chosen.length === 0) || (what === "extend" && !span) || (what === "reject" && !reason.trim())}
      act={() => act.mutateAsync(JSON.stringify([what, chosen, reason, span, until]))}
    >
      {pick && (
        <fieldset className="checks">
          <legend>{text.item}</legend>
          {items.map((i) => (
            <Check
              key={i.id}
              label={<bdi>{i.display}</bdi>}
              value={chosen.includes(i.id)}
              set={(on) => choose(on ? [...chosen, i.id] : chosen.filter((x) => x !== i.id))}
            />
          ))}
        </fieldset>
      )}
      {what === "extend" && (
        <DurationField label={text.additionalDuration} value={span} set={setSpan} required hint={text.countedFromTheCurrentEndDate} />
      )}
      {what === "approve" && (
        <TextField label={text.endDateOptional} type="date" value={until} set={setUntil} hint={text.youCanShortenTheRequestedDuration} />
      )}
      <TextField
        label={what === "extend" ? text.reasonForTheExtension : what === "approve" ? text.commentRequiredBySomeRules : text.reason}
        rows={3}
        value={reason}
        set={setReason}
        required={what === "reject"}
        max={4000}
      />
    </ConfirmDialog>
  );
}

async function send(what: NonNullable<What>, r: Request, items: string[], v: { reason: string; span: string; until: string }, key: string) {
  const at = `/access-requests/${r.id}`;
  const asking = { key, ifMatch: r.version };
  const reason = v.reason ? { reason: v.reason } : {};
  if (what === "approve" || what === "reject") {
    const decisions = items.map((item_id) => ({
      item_id,
      action: what,
      ...(v.reason ? { comment: v.reason } : {}),
      ...(what === "approve" && v.until ? { ends_at: new Date(`${v.until}T23:59:59`).toISOString() } : {}),
    }));
    const answer = await ask<Of<"AccessRequestDecisions">>("POST", `${at}/decisions`, { ...asking, body: { decisions } });
    const refused = answer.results.filter((x) => !x.accepted);
    if (refused.length) showRefusal(new Error(refused.map((x) => x.detail ?? x.code).join("\n")));
    showToast(what === "approve" ? text.numberApproved(r.number) : text.numberRejected(r.number));
    return answer;
  }
  if (what === "cancel")
    return ask("POST", `${at}/cancel`, { ...asking, body: reason }).then(() => showToast(text.numberValueWasWithdrawn(r.number)));
  if (what === "extend") {
    const body = { items, duration: v.span, ...(v.reason ? { justification: v.reason } : {}) };
    const made = await ask<Request>("POST", `${at}/extend`, { ...asking, body });
    showToast(text.extensionRequestNumberValueSubmitted(made.number));
    return made;
  }
  const path = what === "return" ? "return" : "withdraw-approval";
  return ask("POST", `${at}/${path}`, { ...asking, body: { items, ...reason } }).then(() =>
    showToast(what === "return" ? text.theAccessIsBeingRevoked : text.yourApprovalWasWithdrawn),
  );
}
