import * as text from "#text/policies";
import "./policies.css";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { EditConflict } from "../../kit/editconflict";
import { useForm } from "../../kit/form";
import { Button, Failure, Head, Note, Skeleton, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { useShown } from "../../kit/shown";
import { State } from "../../kit/state";
import { PolicyActions } from "./actions";
import { useConfirmed } from "./confirm";
import { Definition } from "./definition";
import { bodyOf, draftOf, PolicyEditor } from "./editor";
import { Gaps } from "./gaps";
import { Simulation } from "./simulate";
import { PolicyVersions } from "./versions";
import { policyStatus, stopReason } from "./words";

type Policy = Of<"AccessPolicy">;

/** One policy: what it says, what it does, and what it would do. */
export default function PolicyPage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const [show, turn] = useShown();
  const may = useMay();
  const policy = useGet<Policy>(`/policies/access-grant/${id}`, {}, { every: 4000, keep: true });
  const p = policy.data;
  const up = <Link to="/policies">{text.policies}</Link>;
  if (policy.isError && !p) return <Failure page error={policy.error} retry={() => void policy.refetch()} />;
  if (!p)
    return (
      <div className="stack">
        <Head title={text.policy} up={up} lead="…" />
        <Skeleton rows={10} />
      </div>
    );
  return (
    <div className="stack">
      <Head title={p.name} up={up} lead={p.description}>
        {may.admin && (
          <PolicyActions of={p}>
            <Button reads onClick={() => turn(show === "simulate" ? "" : "simulate")} aria-expanded={show === "simulate"}>
              {text.simulate}
            </Button>
            {show !== "edit" && <Button onClick={() => turn("edit")}>{text.edit}</Button>}
          </PolicyActions>
        )}
      </Head>
      <PolicyStatus of={p} />
      {show === "simulate" && may.admin && <Simulation id={p.id} version={p.version} close={() => turn("")} />}
      {show === "edit" && may.admin ? <Editing key={p.id} of={p} close={() => turn("")} /> : <Definition of={p} />}
      {p.effect === "require" && <Gaps policy={p.id} />}
      <PolicyVersions id={p.id} />
    </div>
  );
}

function PolicyStatus({ of: p }: { of: Policy }) {
  const is = policyStatus(p);
  const working = p.evaluation.state !== "idle";
  return (
    <div className="stack tight" aria-live="polite">
      <div className="row">
        <State of={p.mode} tone={is.tone} words={is.words} />
        {p.effect === "deny" && <State of="denied" words={text.deny} />}
        {p.effect === "require" && <State of="require" tone="neutral" words={text.requires} />}
        {p.effect === "eligible" && <State of="eligible" tone="neutral" words={text.eligible} />}
        {p.effect === "assign" && p.birthright && <State of="birthright" tone="neutral" />}
        {p.kind === "table" && (
          <Link to="/decision-tables/$id" params={{ id: p.id }}>
            {text.rowsOfTheDecisionTable(p.row_count)}
          </Link>
        )}
        <span className="small muted">
          {working
            ? p.evaluation.total
              ? text.evaluatingDoneOfTotal(p.evaluation.done.toLocaleString("en"), p.evaluation.total.toLocaleString("en"))
              : text.evaluationIsAboutToStart
            : ""}
          {!working && p.last_evaluated_at && <>{text.lastEvaluatedLastEvaluatedAt(<When at={p.last_evaluated_at} />)}</>}
        </span>
      </div>
      {p.tripped_at && (
        <Note tone="bad">{text.stoppedTrippedAtStopReasonIt(<When at={p.tripped_at} />, stopReason(p.tripped_reason))}</Note>
      )}
      {p.enabled && p.mode === "shadow" && <Note>{text.dryRunThePolicyCalculatesIts}</Note>}
    </div>
  );
}

function Editing({ of: p, close }: { of: Policy; close: () => void }) {
  const confirmed = useConfirmed<Policy>(["/policies"]);
  const [version, read] = useState(p.version);
  const form = useForm(draftOf(p), async (v) => {
    const made = await confirmed.attempt({
      verb: text.saveAnyway,
      done: text.nameSaved(v.name),
      act: (query, key) => ask<Policy>("PATCH", `/policies/access-grant/${p.id}`, { body: bodyOf(v), query, ifMatch: version, key }),
      after: close,
    });
    if (!made) throw new Refusal(0, "confirmation_required", text.notSavedYetConfirmTheChanges);
  });
  return (
    <>
      <EditConflict refused={form.refused} again={() => read(p.version)} />
      <PolicyEditor of={form} verb={text.save} cancel={close} mode={p.mode ?? "shadow"} />
      {confirmed.dialog}
    </>
  );
}
