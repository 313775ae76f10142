import { type ReactNode, useState } from "react";
import * as text from "#text/access";
import { ask } from "../../api/client";
import type { Grant, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { dayBegins } from "../../kit/day";
import { ConfirmDialog } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { problemAt, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { reasonOf } from "../people/words";

type Revoked = Of<"BulkGrantsRevoked">;

/** Takes several away at once. What becomes of each is shown first; what cannot be is refused one by one, and what rules would give again stays. */
export function BulkRevoke({ of, clear }: { of: Grant[]; clear: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button tone="danger" onClick={() => setOpen(true)}>
        {text.revoke}
      </Button>
      {open && <RevokeDialog of={of} clear={clear} close={() => setOpen(false)} />}
    </>
  );
}

function RevokeDialog({ of, clear, close }: { of: Grant[]; clear: () => void; close: () => void }) {
  const [reason, setReason] = useState("");
  const [until, setUntil] = useState("");
  const past = until !== "" && Date.parse(dayBegins(until)) <= Date.now();
  const body = { ids: of.map((g) => g.id), ...(until && !past ? { exclude_until: dayBegins(until) } : {}) };
  const preview = useDryRun<Revoked>("/entitlements/grants/bulk-revoke", { ...body, reason: "preview" }, true);
  const revoke = useAct<object, Revoked>({
    quiet: true,
    act: (what, key) => ask("POST", "/entitlements/grants/bulk-revoke", { body: what, key }),
    done: (r) => doneWords(r, until),
    changes: ["/entitlements", "/identities", "/accounts"],
    after: clear,
  });
  const returns = until || refusedOf(preview.data).some(comesBack);
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.revokeGrants(of.length)}
      verb={text.revoke}
      tone="danger"
      disabled={!reason.trim() || past || Boolean(preview.error) || preview.data?.revoked === 0}
      act={() => revoke.mutateAsync({ ...body, reason })}
    >
      <TextField label={text.reason} rows={2} max={1000} value={reason} set={setReason} required />
      {returns && (
        <TextField
          label={text.blockUntil}
          type="date"
          value={until}
          set={setUntil}
          error={past ? text.chooseAFutureDate : problemAt(preview.error, "exclude_until")}
          hint={text.appliesToAllGrantsThatYou}
        />
      )}
      <DryRun of={preview}>{(t) => <RevokePreview of={t} grants={of} until={past ? "" : until} />}</DryRun>
    </ConfirmDialog>
  );
}

type Result = Revoked["results"][number];
const refusedOf = (r: Revoked | undefined) => (r?.results ?? []).filter((x) => x.outcome === "refused");
const comesBack = (r: Result) => r.code === "rule_gives_it_again";

/** What became of them, in words. */
function doneWords(r: Revoked, until: string): string {
  const stays = refusedOf(r).filter(comesBack).length;
  const others = r.refused - stays;
  return [
    until ? text.grantsAreBeingRevokedAndBlocked(r.revoked, until) : text.grantsAreBeingRevoked(r.revoked),
    stays > 0 && text.grantsRemain(stays),
    others > 0 && text.grantsWereRejected(others),
  ]
    .filter(Boolean)
    .join(" ");
}

/** What would become of them: how many go, which of them rules would give again, and which cannot go at all. */
function RevokePreview({ of: t, grants, until }: { of: Revoked; grants: Grant[]; until: string }) {
  const refused = refusedOf(t);
  const stays = refused.filter(comesBack);
  const others = refused.filter((r) => !comesBack(r));
  const by = new Map(grants.map((g) => [g.id, g]));
  return (
    <>
      <p className="small">{text.revokedWillBeRevokedRefusedCannot(t.revoked, t.refused)}</p>
      {until && t.revoked > 0 && <p className="small">{text.untilUntilNoPersonAndNo(until)}</p>}
      {stays.length > 0 && (
        <>
          <p className="small">{text.policiesWouldGrantAgain(stays.length)}</p>
          <List of={stays} by={by} words={(r) => rulesOf(by.get(r.id)).join(", ")} />
        </>
      )}
      <List of={others} by={by} words={(r) => <span className="bad">{r.detail ?? r.code}</span>} />
    </>
  );
}

function List({ of, by, words }: { of: Result[]; by: Map<string, Grant>; words: (r: Result) => ReactNode }) {
  if (of.length === 0) return null;
  return (
    <ul className="small">
      {of.slice(0, 50).map((r) => (
        <li key={r.id} dir="auto">
          <bdi>{by.get(r.id)?.identity?.display ?? by.get(r.id)?.account.display}</bdi>: {words(r)}
        </li>
      ))}
      {of.length > 50 && <li className="muted">{text.andCountMore(of.length - 50)}</li>}
    </ul>
  );
}

/** The rules that give something, by name. */
const rulesOf = (g: Grant | undefined) =>
  (g?.reasons ?? [])
    .filter((r) => r.state !== "ended" && r.effect !== "deny" && /^(policy|role)$/.test(r.source.type))
    .map((r) => reasonOf(r).words);
