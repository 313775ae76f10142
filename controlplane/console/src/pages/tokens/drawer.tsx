import { useState } from "react";
import * as text from "#text/tokens";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { durationText } from "../../kit/duration";
import { Id } from "../../kit/elements";
import { Button, Facts, Failure, Note, Skeleton, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Change } from "./change";
import { Revoke, Rotate } from "./revoke";
import { TokenSecret } from "./secret";
import { type Token, TokenState, why } from "./words";

/** One token: what it may do, who uses it, and what can be done about it. */
export function Drawer({ id, close }: { id: string; close: () => void }) {
  const token = useGet<Token>(`/settings/api-tokens/${id}`);
  const [issued, issue] = useState<Of<"Issued">>();
  if (issued) {
    const done = () => {
      issue(undefined);
      close();
    };
    return <TokenSecret token={issued.token} name={issued.name} until={token.data?.rotation_overlap_until} close={done} />;
  }
  return (
    <Dialog open close={close} side title={<bdi>{token.data?.name ?? text.apiToken}</bdi>} lead={token.data?.description || undefined}>
      {token.isPending ? (
        <Skeleton rows={6} />
      ) : token.isError ? (
        <Failure error={token.error} retry={() => void token.refetch()} />
      ) : (
        <Known of={token.data} issue={issue} again={() => void token.refetch()} />
      )}
    </Dialog>
  );
}

type Props = { of: Token; issue: (t: Of<"Issued">) => void; again: () => void };

function Known({ of, issue, again }: Props) {
  const may = useMay();
  const [open, setOpen] = useState<"change" | "rotate" | "revoke">();
  const over = of.state === "revoked" || of.state === "expired";
  const done = () => setOpen(undefined);
  return (
    <div className="stack">
      <div className="row">
        <TokenState of={of.state} />
        {may.admin && !over && (
          <>
            <Button onClick={() => setOpen("rotate")}>{text.replace}</Button>
            <Button onClick={() => setOpen(open === "change" ? undefined : "change")}>{text.edit}</Button>
            <Switch of={of} />
          </>
        )}
        {may.admin && of.state !== "revoked" && (
          <Button tone="danger" onClick={() => setOpen("revoke")}>
            {text.revoke}
          </Button>
        )}
      </div>
      {of.disabled_reason && of.state === "disabled" && <Note tone="warn">{why[of.disabled_reason] ?? of.disabled_reason}</Note>}
      {open === "change" ? <Change of={of} done={done} again={again} /> : <TokenFacts of={of} />}
      {open === "rotate" && <Rotate of={of} issue={issue} close={done} />}
      {open === "revoke" && <Revoke of={of} close={done} />}
    </div>
  );
}

function TokenFacts({ of }: { of: Token }) {
  return (
    <>
      <Facts
        of={[
          [text.role, of.role.replaceAll("_", " ")],
          [
            text.viewOf,
            of.bound_identity_id && (
              <Link key="p" to="/people/$id" params={{ id: of.bound_identity_id }}>
                {text.aPerson}
              </Link>
            ),
          ],
          [text.lastUsed, <When key="u" at={of.last_used_at} />],
          [text.from, of.last_used_ip && <code key="ip">{of.last_used_ip}</code>],
          [text.ends, <When key="e" at={of.expires_at} />],
          [text.replacedValidUntil, of.rotation_overlap_until && <When key="o" at={of.rotation_overlap_until} />],
          [text.disabledIfUnusedFor, durationText(of.idle_disable_after)],
          [text.rate, of.rate_limit ? text.rpsPerSecondBurstBurst(of.rate_limit.rps, of.rate_limit.burst) : text.default100PerSecond],
          [text.networks, of.allowed_cidrs.length > 0 ? <code key="n">{of.allowed_cidrs.join(", ")}</code> : text.any],
          [text.createdBy, <bdi key="by">{of.created_by.display}</bdi>],
          [text.created, <When key="m" at={of.created_at} />],
          [text.lastCharacters, <code key="t">{of.jti_tail}</code>],
          [text.id, <Id key="id" of={of.id} />],
        ]}
      />
      <div>
        <h3 className="field-label">{text.scopes}</h3>
        <ul className="token-list">
          {of.scopes.map((s) => (
            <li key={s}>
              <code>{s}</code>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** Switches a token off and on again. */
function Switch({ of }: { of: Token }) {
  const set = useAct<boolean>({
    act: (enabled, key) => ask("PATCH", `/settings/api-tokens/${of.id}`, { key, body: { enabled }, ifMatch: of.version }),
    done: (_, on) => (on ? text.tokenEnabled : text.tokenDisabledEffectiveWithinSeconds),
    changes: ["/settings/api-tokens"],
  });
  return (
    <Button disabled={set.isPending} onClick={() => set.mutate(!of.enabled)}>
      {of.enabled ? text.disable : text.enable}
    </Button>
  );
}
