import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { count, number } from "../../kit/count";
import { AskFirst } from "../../kit/dialog";
import { Button, Note } from "../../kit/kit";
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
  const on = () => (p.mode === "enforce" ? setAsking("activate") : void go("Enable", `${p.name} enabled.`, "enable"));
  return (
    <>
      {p.enabled && p.mode === "shadow" && (
        <Button tone="primary" disabled={busy} onClick={() => setAsking("activate")}>
          Activate
        </Button>
      )}
      {!p.enabled && (
        <Button tone="primary" disabled={busy} onClick={on}>
          Enable
        </Button>
      )}
      {p.tripped_at && (
        <Button tone="primary" onClick={() => setAsking("reset")}>
          Resume
        </Button>
      )}
      {children}
      <Menu
        words="More"
        of={[
          p.enabled && p.mode === "enforce" && { words: "Switch to dry run", act: () => setAsking("watch") },
          p.enabled && { words: "Disable", act: () => setAsking("off") },
          { words: "Delete", act: () => setAsking("delete"), danger: true },
        ]}
      />
      {asking === "activate" && <Activate of={p} close={() => setAsking(undefined)} />}
      {asking && asking !== "activate" && <Asked what={asking} of={p} close={() => setAsking(undefined)} />}
      {confirmed.dialog}
    </>
  );
}

const told = {
  delete: { title: "Delete this policy", verb: "Delete", path: "", done: "was deleted." },
  reset: { title: "Resume this policy", verb: "Accept changes and resume", path: "/breaker/reset", done: "is active again." },
  watch: { title: "Switch to dry run", verb: "Switch to dry run", path: "/mode", done: "is in dry run." },
  off: { title: "Disable this policy", verb: "Disable", path: "/disable", done: "is disabled." },
} as const;

function Asked({ what, of: p, close }: { what: keyof typeof told; of: Policy; close: () => void }) {
  const navigate = useNavigate();
  const t = told[what];
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
      if (what === "delete") void navigate({ to: "/policies" as never });
    },
  });
  return (
    <AskFirst
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
          <p>Pending changes are applied: up to {count(p.stats.would_grant + p.stats.would_end, "change")}.</p>
        </>
      ) : (
        <Effect of={p} at={what === "delete"} />
      )}
    </AskFirst>
  );
}

/** What becomes of the access of a policy that ends. */
function Effect({ of: p, at }: { of: Policy; at: boolean }) {
  const live = p.enabled && p.mode === "enforce";
  if (p.effect === "deny")
    return <p>{live ? "People can get the denied access again from other sources." : "It denies no access at present."}</p>;
  if (!live || p.holder_count === 0) return <p>No one has access through this policy, so no one loses access.</p>;
  return (
    <Note tone="warn">
      <strong>{number(p.holder_count)}</strong> {p.holder_count === 1 ? "person has" : "people have"} access through this policy. Access
      without another reason ends{at || p.lifecycle?.on_no_match === "end_now" ? " at once" : " after the grace period of the policy"}.
    </Note>
  );
}
