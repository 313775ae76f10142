import { useState } from "react";
import * as text from "#text/separation";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { dayBegins } from "../../kit/day";
import { ConfirmDialog } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { problemAt, TextField } from "../../kit/form";
import { reasonOf } from "../people/words";
import { CureChoice } from "./cures";
import type { Violation } from "./words";

type Remediated = Of<"ViolationRemediated">;

/** Revokes one of the smallest sets of access that end a violation. What would become of it is shown first. */
export function Remediate({ of: v, first, close }: { of: Violation; first: string[]; close: () => void }) {
  const [remove, setRemove] = useState(first);
  const [reason, setReason] = useState("");
  const [until, setUntil] = useState("");
  const path = `/policies/violations/${v.id}/remediate`;
  const body = { remove, ...(until ? { exclude_until: dayBegins(until) } : {}) };
  const preview = useDryRun<Remediated>(path, { ...body, reason: "preview" }, remove.length > 0);
  const revoke = useAct<void, Remediated>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body: { ...body, reason }, key, ifMatch: v.version }),
    done: text.revocationWasOrdered,
    changes: ["/policies/violations", "/entitlements", "/identities", "/accounts", "/decision-tasks", "/audit-events"],
  });
  const returns =
    preview.data?.revocations.some((r) => r.would_return.length > 0) ||
    (preview.error as { code?: string } | null)?.code === "rule_gives_it_again";
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.revokeAccess}
      lead={text.accessFromPerson(<bdi>{v.identity.display}</bdi>)}
      verb={text.revoke}
      tone="danger"
      disabled={remove.length === 0 || !reason.trim() || Boolean(preview.error)}
      act={() => revoke.mutateAsync()}
    >
      <CureChoice of={v.conflict} value={remove} set={setRemove} />
      {(returns || until) && (
        <TextField
          label={text.blockUntil}
          type="date"
          value={until}
          set={setUntil}
          error={problemAt(preview.error, "exclude_until")}
          hint={text.requiredIfAPolicyWouldGrant}
        />
      )}
      <TextField label={text.reason} value={reason} set={setReason} rows={2} max={2000} required hint={text.shownInTheAccessHistory} />
      {remove.length > 0 && (
        <DryRun of={preview}>
          {(t) => (
            <ul className="stack tight small">
              {t.revocations.map((r, i) => (
                <li key={r.grant_id}>
                  <Ended of={r} name={nameOf(v, remove[i] ?? r.grant_id)} />
                </li>
              ))}
              {t.revocations.every((r) => r.access_ends) && <li>{text.theViolationEnds}</li>}
            </ul>
          )}
        </DryRun>
      )}
    </ConfirmDialog>
  );
}

function Ended({ of: r, name }: { of: Of<"RevocationImpact">; name: string }) {
  const reasons = r.would_return.map((g) => reasonOf(g).words);
  return (
    <>
      {(r.access_ends ? text.endsOf : text.staysOf)(<bdi>{name}</bdi>)} {reasons.length > 0 && text.wouldReturnThrough(reasons)}{" "}
      {r.notes.join(" ")}
    </>
  );
}

const nameOf = (v: Violation, id: string) => v.conflict.cures.flatMap((c) => c.remove).find((s) => s.id === id)?.name ?? id;
