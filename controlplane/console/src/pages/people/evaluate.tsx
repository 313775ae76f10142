import { useQuery } from "@tanstack/react-query";
import * as text from "#text/people";
import { ask } from "../../api/client";
import type { IdentityDetail, Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Failure, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { useSystems } from "../../kit/systems";

type Evaluation = Of<"PersonEvaluation">;

/** Which rules are about somebody, and what they would gain and lose if rules were looked at now. */
export function Evaluate({ of: p, close }: { of: IdentityDetail; close: () => void }) {
  const path = `/identities/${p.id}/birthrights/evaluate`;
  const preview = useQuery({
    queryKey: ["try", path],
    queryFn: ({ signal }) => ask<Evaluation>("POST", path, { body: { dry_run: true }, signal }),
    retry: false,
    gcTime: 0,
  });
  const evaluate = useAct<void, Evaluation>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body: { dry_run: false }, key }),
    done: (e) => text.reasonsAddedReasonsEndedEnded(e.reasons_added, e.reasons_ended),
    changes: ["/identities", "/entitlements"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.evaluatePolicies}
      lead={text.policiesAreEvaluatedAutomaticallyWhenA}
      verb={text.applyChanges}
      disabled={!preview.data}
      act={() => evaluate.mutateAsync()}
    >
      {preview.isError ? (
        <Failure error={preview.error} />
      ) : preview.isPending ? (
        <Skeleton rows={3} />
      ) : (
        <EvaluationResult of={preview.data} />
      )}
    </ConfirmDialog>
  );
}

function EvaluationResult({ of }: { of: Evaluation }) {
  const matched = of.matched ?? [];
  return (
    <>
      <section className="stack tight">
        <h3>{text.matchingPolicies}</h3>
        {matched.length === 0 && <p className="muted small">{text.noPoliciesMatch}</p>}
        <ul className="stack tight">
          {matched.map((r) => (
            <li key={r.id} className="row between">
              <Link to="/policies/$id" params={{ id: r.id }} className="person-link">
                <bdi>{r.display}</bdi>
              </Link>
              <State of={r.mode} tone={r.mode === "enforce" ? "ok" : "neutral"} words={r.mode === "enforce" ? text.gives : text.dryRun} />
            </li>
          ))}
        </ul>
      </section>
      <Shifts title={text.accessToGrant} of={of.impact.gains ?? []} sign="+" />
      <Shifts title={text.accessToRevoke} of={of.impact.losses ?? []} sign="−" />
      {(of.impact.gains ?? []).length + (of.impact.losses ?? []).length === 0 && <p className="muted small">{text.noChanges}</p>}
    </>
  );
}

function Shifts({ title, of, sign }: { title: string; of: Of<"GrantShift">[]; sign: string }) {
  if (of.length === 0) return null;
  return (
    <section className="stack tight">
      <h3>{title}</h3>
      <ul>
        {of.slice(0, 100).map((s) => (
          <li key={`${s.connector_id}${s.entitlement_id}`} className="small">
            {sign} <ShiftedAccess of={s} />
            {s.at && <span className="muted"> {text.onAt(s.at.slice(0, 10))}</span>}
          </li>
        ))}
        {of.length > 100 && <li className="small muted">{text.andCountMore(of.length - 100)}</li>}
      </ul>
    </section>
  );
}

function ShiftedAccess({ of }: { of: Of<"GrantShift"> }) {
  const names = useSystems();
  const what = useGet<Of<"Entitlement">>(`/entitlements/${of.entitlement_id}`, {}, { enabled: Boolean(of.entitlement_id) });
  const system = names.get(of.connector_id);
  if (!of.entitlement_id) return <bdi>{system ? text.anAccountInSystem(system) : text.anAccount}</bdi>;
  return <bdi>{what.data?.display_name ?? (what.isError ? of.entitlement_id : "…")}</bdi>;
}
