import "./policies.css";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { EditConflict } from "../../kit/editconflict";
import { useForm } from "../../kit/form";
import { Button, Failure, Head, Note, Skeleton, When } from "../../kit/kit";
import { State } from "../../kit/state";
import { PolicyActions } from "./actions";
import { useConfirmed } from "./confirm";
import { Definition } from "./definition";
import { bodyOf, draftOf, PolicyEditor } from "./editor";
import { Simulation } from "./simulate";
import { PolicyVersions } from "./versions";
import { policyStatus, stopReason } from "./words";

type Policy = Of<"AccessPolicy">;

/** One policy: what it says, what it does, and what it would do. */
export default function PolicyPage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { show = "" } = useSearch({ strict: false }) as { show?: string };
  const navigate = useNavigate();
  const may = useMay();
  const policy = useGet<Policy>(`/policies/access-grant/${id}`, {}, { every: 4000, keep: true });
  const p = policy.data;
  const turn = (to: string) => void navigate({ to: ".", search: (to ? { show: to } : {}) as never, resetScroll: false });
  const up = <Link to={"/policies" as never}>Policies</Link>;
  if (policy.isError && !p) return <Failure page error={policy.error} retry={() => void policy.refetch()} />;
  if (!p)
    return (
      <div className="stack">
        <Head title="Policy" up={up} lead="…" />
        <Skeleton rows={10} />
      </div>
    );
  return (
    <div className="stack">
      <Head title={p.name} up={up} lead={p.description}>
        {may.admin && (
          <PolicyActions of={p}>
            <Button reads onClick={() => turn(show === "simulate" ? "" : "simulate")} aria-expanded={show === "simulate"}>
              Simulate
            </Button>
            {show !== "edit" && <Button onClick={() => turn("edit")}>Edit</Button>}
          </PolicyActions>
        )}
      </Head>
      <Standing of={p} />
      {show === "simulate" && may.admin && <Simulation id={p.id} version={p.version} close={() => turn("")} />}
      {show === "edit" && may.admin ? <Editing key={p.id} of={p} close={() => turn("")} /> : <Definition of={p} />}
      <PolicyVersions id={p.id} />
    </div>
  );
}

function Standing({ of: p }: { of: Policy }) {
  const is = policyStatus(p);
  const working = p.evaluation.state !== "idle";
  return (
    <div className="stack tight" aria-live="polite">
      <div className="row">
        <State of={p.mode} tone={is.tone} words={is.words} />
        {p.effect === "deny" && <State of="denied" words="deny" />}
        {p.effect === "assign" && p.birthright && <State of="birthright" tone="neutral" />}
        <span className="small muted">
          {working
            ? p.evaluation.total
              ? `Evaluating: ${p.evaluation.done.toLocaleString("en")} of ${p.evaluation.total.toLocaleString("en")}.`
              : "Evaluation is about to start."
            : ""}
          {!working && p.last_evaluated_at && (
            <>
              Last evaluated <When at={p.last_evaluated_at} />.
            </>
          )}
        </span>
      </div>
      {p.tripped_at && (
        <Note tone="bad">
          Stopped <When at={p.tripped_at} />: {stopReason(p.tripped_reason)} It neither grants nor ends access until you accept its changes.
        </Note>
      )}
      {p.enabled && p.mode === "shadow" && (
        <Note>Dry run: the policy calculates its changes and applies none. Simulate it, then activate it.</Note>
      )}
    </div>
  );
}

function Editing({ of: p, close }: { of: Policy; close: () => void }) {
  const confirmed = useConfirmed<Policy>(["/policies"]);
  const [version, read] = useState(p.version);
  const form = useForm(draftOf(p), async (v) => {
    const made = await confirmed.attempt({
      verb: "Save anyway",
      done: `${v.name} saved.`,
      act: (query, key) => ask<Policy>("PATCH", `/policies/access-grant/${p.id}`, { body: bodyOf(v), query, ifMatch: version, key }),
      after: close,
    });
    if (!made) throw new Refusal(0, "confirmation_required", "Not saved yet. Confirm the changes first.");
  });
  return (
    <>
      <EditConflict refused={form.refused} again={() => read(p.version)} />
      <PolicyEditor of={form} verb="Save" cancel={close} mode={p.mode ?? "shadow"} />
      {confirmed.dialog}
    </>
  );
}
