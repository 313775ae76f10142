import { type ReactNode, useState } from "react";
import { ask } from "../../api/client";
import type { Grant, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { count } from "../../kit/count";
import { dayBegins } from "../../kit/day";
import { AskFirst } from "../../kit/dialog";
import { TextField, wrongAt } from "../../kit/form";
import { Button } from "../../kit/kit";
import { Tried, useTry } from "../../kit/tryfirst";
import { wayOf } from "../people/words";

type Revoked = Of<"BulkGrantsRevoked">;

/** Takes several away at once. What becomes of each is shown first; what cannot be is refused one by one, and what rules would give again stays. */
export function BulkRevoke({ of, clear }: { of: Grant[]; clear: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button tone="danger" onClick={() => setOpen(true)}>
        Take them away
      </Button>
      {open && <Ask of={of} clear={clear} close={() => setOpen(false)} />}
    </>
  );
}

function Ask({ of, clear, close }: { of: Grant[]; clear: () => void; close: () => void }) {
  const [reason, setReason] = useState("");
  const [until, setUntil] = useState("");
  const past = until !== "" && Date.parse(dayBegins(until)) <= Date.now();
  const body = { ids: of.map((g) => g.id), ...(until && !past ? { exclude_until: dayBegins(until) } : {}) };
  const tried = useTry<Revoked>("/entitlements/grants/bulk-revoke", { ...body, reason: "preview" }, true);
  const revoke = useAct<object, Revoked>({
    quiet: true,
    act: (what, key) => ask("POST", "/entitlements/grants/bulk-revoke", { body: what, key }),
    done: (r) => doneWords(r, until),
    changes: ["/entitlements", "/identities", "/accounts"],
    after: clear,
  });
  const returns = until || refusedOf(tried.data).some(comesBack);
  return (
    <AskFirst
      open
      close={close}
      title={`Take ${count(of.length, "grant")} away`}
      verb="Take them away"
      tone="danger"
      disabled={!reason.trim() || past || Boolean(tried.error) || tried.data?.revoked === 0}
      act={() => revoke.mutateAsync({ ...body, reason })}
    >
      <TextField label="Reason" rows={2} max={1000} value={reason} set={setReason} required />
      {returns && (
        <TextField
          label="Keep them away until"
          type="date"
          value={until}
          set={setUntil}
          error={past ? "Choose a day to come." : wrongAt(tried.error, "exclude_until")}
          hint="It counts for all that are taken away here: until this day nobody and no rule can give it to them. Afterwards rules do again what they say."
        />
      )}
      <Tried of={tried}>{(t) => <Foreseen of={t} grants={of} until={past ? "" : until} />}</Tried>
    </AskFirst>
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
    `${r.revoked} ${r.revoked === 1 ? "is" : "are"} being taken away${until ? `, and kept away until ${until}` : ""}.`,
    stays > 0 && `${stays} ${stays === 1 ? "stays" : "stay"}: a rule would give it again.`,
    others > 0 && `${others} ${others === 1 ? "was" : "were"} refused.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** What would become of them: how many go, which of them rules would give again, and which cannot go at all. */
function Foreseen({ of: t, grants, until }: { of: Revoked; grants: Grant[]; until: string }) {
  const refused = refusedOf(t);
  const stays = refused.filter(comesBack);
  const others = refused.filter((r) => !comesBack(r));
  const by = new Map(grants.map((g) => [g.id, g]));
  return (
    <>
      <p className="small">
        {t.revoked} would be taken away, {t.refused} cannot be.
      </p>
      {until && t.revoked > 0 && (
        <p className="small">Until {until} nobody and no rule can give it to them again; afterwards rules do what they say.</p>
      )}
      {stays.length > 0 && (
        <>
          <p className="small">
            {stays.length === 1 ? "A rule would give 1 again" : `Rules would give ${stays.length} again`} at the next look. Say until when{" "}
            {stays.length === 1 ? "it is" : "they are"} to be kept away, or change the rule:
          </p>
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
      {of.length > 50 && <li className="muted">and {of.length - 50} more</li>}
    </ul>
  );
}

/** The rules that give something, by name. */
const rulesOf = (g: Grant | undefined) =>
  (g?.reasons ?? [])
    .filter((r) => r.state !== "ended" && r.effect !== "deny" && /^(policy|role)$/.test(r.source.type))
    .map((r) => wayOf(r).words);
