import { type ReactNode, useState } from "react";
import * as text from "#text/policies";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { number } from "../../kit/count";
import { ConfirmDialog } from "../../kit/dialog";
import { Button, Note } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { showRefusal } from "../../kit/toast";
import { Activate } from "./activate";
import { useConfirmed } from "./confirm";
import { stopReason } from "./words";

type Policy = Of<"AccessPolicy">;

/**
 * What an administrator can do with a policy. Whatever grants or ends access is confirmed with its effect in view. What comes and goes with
 * the policy's state stands first, so that the buttons after it (children) keep their places.
 */
export function PolicyActions({ of: p, children }: { of: Policy; children: ReactNode }) {
  const [asking, setAsking] = useState<"delete" | "reset" | "watch" | "off" | "activate">();
  const confirmed = useConfirmed<Policy>(["/policies"]);
  const at = `/policies/access-grant/${p.id}`;
  const busy = confirmed.busy;
  const go = (verb: string, done: string, path: string, body?: object) =>
    confirmed
      .attempt({
        verb,
        done,
        act: (query, key) => ask<Policy>("POST", `${at}/${path}`, { query, key, ifMatch: p.version, ...(body ? { body } : {}) }),
      })
      .catch(showRefusal);
  const on = () => (p.mode === "enforce" ? setAsking("activate") : void go(text.enable, text.nameEnabled(p.name), "enable"));
  return (
    <>
      {p.enabled && p.mode === "shadow" && (
        <Button tone="primary" disabled={busy} onClick={() => setAsking("activate")}>
          {text.activate}
        </Button>
      )}
      {!p.enabled && (
        <Button tone="primary" disabled={busy} onClick={on}>
          {text.enable}
        </Button>
      )}
      {p.tripped_at && (
        <Button tone="primary" onClick={() => setAsking("reset")}>
          {text.resume}
        </Button>
      )}
      {children}
      <Menu
        words={text.more}
        of={[
          p.enabled && p.mode === "enforce" && { words: text.switchToDryRun, act: () => setAsking("watch") },
          p.enabled && { words: text.disable, act: () => setAsking("off") },
          { words: text.deleteLabel, act: () => setAsking("delete"), danger: true },
        ]}
      />
      {asking === "activate" && <Activate of={p} close={() => setAsking(undefined)} />}
      {asking && asking !== "activate" && <ConfirmAction what={asking} of={p} close={() => setAsking(undefined)} />}
      {confirmed.dialog}
    </>
  );
}

const dialogTexts = {
  delete: { title: text.deleteThisPolicy, verb: text.deleteLabel, path: "", done: text.wasDeleted },
  reset: { title: text.resumeThisPolicy, verb: text.acceptChangesAndResume, path: "/breaker/reset", done: text.isActiveAgain },
  watch: { title: text.switchToDryRun, verb: text.switchToDryRun, path: "/mode", done: text.isInDryRun },
  off: { title: text.disableThisPolicy, verb: text.disable, path: "/disable", done: text.isDisabled },
} as const;

function ConfirmAction({ what, of: p, close }: { what: keyof typeof dialogTexts; of: Policy; close: () => void }) {
  const navigate = useGo();
  const t = dialogTexts[what];
  const body = what === "reset" ? { accept: true } : what === "watch" ? { mode: "shadow" } : undefined;
  const act = useAct({
    quiet: true,
    act: (_: string, key) =>
      ask(what === "delete" ? "DELETE" : "POST", `/policies/access-grant/${p.id}${t.path}`, {
        key,
        ifMatch: p.version,
        ...(body ? { body } : {}),
      }),
    done: `${p.name} ${t.done}`,
    changes: what === "delete" ? [] : ["/policies"],
    after: () => {
      if (what === "delete") void navigate({ to: "/policies" });
    },
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={t.title}
      verb={t.verb}
      tone={what === "reset" ? "primary" : "danger"}
      act={() => act.mutateAsync(what)}
    >
      {what === "reset" ? (
        <>
          <Note tone="warn">{stopReason(p.tripped_reason)}</Note>
          <p>{text.pendingChangesAreAppliedUpTo(p.stats.would_grant + p.stats.would_end)}</p>
        </>
      ) : (
        <Effect of={p} at={what === "delete"} />
      )}
    </ConfirmDialog>
  );
}

/** What becomes of the access of a policy that ends. */
function Effect({ of: p, at }: { of: Policy; at: boolean }) {
  const live = p.enabled && p.mode === "enforce";
  if (p.effect === "eligible") return <p>{live ? text.itNoLongerLimitsWhoCanRequest : text.itLimitsNoRequestsAtPresent}</p>;
  if (p.effect === "require") return <p>{text.itsOpenGapsAreClosed}</p>;
  if (p.effect === "deny") return <p>{live ? text.peopleCanGetTheDeniedAccess : text.itDeniesNoAccessAtPresent}</p>;
  if (!live || p.holder_count === 0) return <p>{text.noOneHasAccessThroughThis}</p>;
  return (
    <Note tone="warn">
      {p.holder_count === 1
        ? at || p.lifecycle?.on_no_match === "end_now"
          ? text.holderCountPersonHasAccessThrough(<strong>{number(p.holder_count)}</strong>)
          : text.holderCountPersonHasAccessThroughLower(<strong>{number(p.holder_count)}</strong>)
        : at || p.lifecycle?.on_no_match === "end_now"
          ? text.holderCountPeopleHaveAccessThrough(<strong>{number(p.holder_count)}</strong>)
          : text.holderCountPeopleHaveAccessThroughLower(<strong>{number(p.holder_count)}</strong>)}
    </Note>
  );
}
