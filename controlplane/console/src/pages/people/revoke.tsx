import { useState } from "react";
import * as text from "#text/people";
import { ask } from "../../api/client";
import type { Grant, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { dayBegins, dayOf } from "../../kit/day";
import { ConfirmDialog } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { problemAt, SelectField, TextField } from "../../kit/form";
import { reasonOf } from "./words";

type Impact = Of<"RevocationImpact">;

/** Takes access away, or ends one of its reasons. What would become of it is shown first. */
export function Revoke({ grant, close }: { grant: Grant; close: () => void }) {
  const [reason, setReason] = useState("");
  const [which, setWhich] = useState("");
  const [until, setUntil] = useState("");
  const path = `/entitlements/grants/${grant.id}/revoke`;
  const body = {
    ...(which ? { scope: "reason", reason_id: which } : { scope: "all" }),
    ...(until && !which ? { exclude_until: dayBegins(until) } : {}),
  };
  // Nothing is written by a look, so that it may come before the reason is typed.
  const preview = useDryRun<Impact>(path, { ...body, reason: "preview" }, true);
  const revoke = useAct<void, Impact>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body: { ...body, reason }, key }),
    done: (r) => (r.access_ends ? text.accessIsBeingRevoked : text.theReasonHasEndedOtherReasons),
    changes: ["/entitlements", "/identities", "/accounts"],
  });
  const ending = (grant.reasons ?? []).filter((r) => r.id && r.state !== "ended" && r.effect !== "deny");
  const returns =
    (preview.data?.would_return ?? []).length > 0 || (preview.error as { code?: string } | null)?.code === "rule_gives_it_again";
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.revokeAccess}
      lead={text.entitlementFromIdentity(
        <bdi>{grant.entitlement.display}</bdi>,
        <bdi>{grant.identity?.display ?? grant.account.display}</bdi>,
      )}
      verb={which ? text.endTheReason : text.revoke}
      tone="danger"
      disabled={!reason.trim() || Boolean(preview.error)}
      act={() => revoke.mutateAsync()}
    >
      {ending.length > 1 && (
        <SelectField
          label={text.reasonToEnd}
          value={which}
          set={setWhich}
          none={text.allReasons}
          options={ending.map((r) => [r.id ?? "", text.onlyWords(reasonOf(r).words)] as const)}
        />
      )}
      {!which && (returns || until) && (
        <TextField
          label={text.blockUntil}
          type="date"
          value={until}
          set={setUntil}
          error={problemAt(preview.error, "exclude_until")}
          hint={text.aPolicyWouldGrantThisAccess}
        />
      )}
      <TextField label={text.reason} value={reason} set={setReason} rows={2} max={1000} required hint={text.shownInTheHistoryOfThe} />
      <DryRun of={preview}>{(t) => <RevokePreview of={t} />}</DryRun>
    </ConfirmDialog>
  );
}

function RevokePreview({ of }: { of: Impact }) {
  const remaining = of.reasons_remaining ?? [];
  return (
    <ul className="stack tight small">
      <li>{of.access_ends ? text.theAccessEnds : text.theAccessStaysOtherReasonsKeep}</li>
      {(of.reasons_ended ?? []).length > 0 && (
        <li>{text.endingReasonsEnded((of.reasons_ended ?? []).map((r) => reasonOf(r).words).join(", "))}</li>
      )}
      {remaining.length > 0 && <li>{text.remainingRemaining(remaining.map((r) => reasonOf(r).words).join(", "))}</li>}
      {(of.would_return ?? []).length > 0 && (
        <li>{text.wouldReturnThroughWouldReturn((of.would_return ?? []).map((r) => reasonOf(r).words).join(", "))}</li>
      )}
      {of.excluded_until && <li>{text.blockedUntilExcludedUntil(dayOf(of.excluded_until))}</li>}
      {(of.notes ?? []).map((n) => (
        <li key={n}>{n}</li>
      ))}
    </ul>
  );
}
