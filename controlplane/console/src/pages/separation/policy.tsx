import { useParams } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import * as text from "#text/separation";
import "./separation.css";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { durationText } from "../../kit/duration";
import { EditConflict } from "../../kit/editconflict";
import { Id } from "../../kit/elements";
import { useForm } from "../../kit/form";
import { Button, Facts, Failure, Head, Note, Part, Skeleton, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { useShown } from "../../kit/shown";
import { State } from "../../kit/state";
import { showToast } from "../../kit/toast";
import { Versions } from "../../kit/versions";
import { useVerdict } from "../policies/condition";
import { Named } from "../policies/manypick";
import { PersonName } from "../roles/names";
import { Mode, Severity } from "./badges";
import { ConflictPicture } from "./picture";
import { PolicyActions } from "./policyactions";
import { PolicyEditor, policyBody, policyDraft } from "./policyeditor";
import { SimulationResult, useSimulation } from "./simulation";
import { effectWords, kindWords, modeWords, originWords } from "./words";

type Policy = Of<"SeparationPolicy">;

const base = "/policies/separation-of-duties";

/** One separation-of-duties policy: which sides conflict, what it does, and what it would do. */
export default function SeparationPolicyPage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const [show, turn] = useShown();
  const may = useMay();
  const policy = useGet<Policy>(`${base}/${id}`, {}, { every: 15_000 });
  const p = policy.data;
  const up = <Link to="/separation-of-duties">{text.separationOfDuties}</Link>;
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
      <Status of={p} />
      {show === "simulate" && may.admin && <Simulation key={p.version} id={p.id} close={() => turn("")} />}
      {show === "edit" && may.admin ? <Editing key={p.id} of={p} close={() => turn("")} /> : <Definition of={p} />}
      <Versions<Of<"SeparationPolicyVersion">>
        path={`${base}/${p.id}/versions`}
        lead={text.earlierVersions}
        says={(v) =>
          text.versionOfPolicy(
            kindWords(v.content.kind ?? ""),
            (v.content.sides ?? []).map((s) => s.label ?? ""),
            modeWords(v.content.mode ?? ""),
          )
        }
      />
    </div>
  );
}

function Status({ of: p }: { of: Policy }) {
  const labels = p.blind_sides.map((i) => p.sides?.[i]?.label ?? text.unnamedSide(i + 1));
  return (
    <div className="stack tight" aria-live="polite">
      <div className="row">
        {p.enabled ? <Mode of={p.mode ?? ""} /> : <State of="disabled" words={text.offLower} />}
        <Severity of={p.severity ?? ""} />
        {p.blind && <State of="blind" tone="warn" words={text.blindLower} />}
        <OpenViolations of={p} />
      </div>
      {p.blind && <Note tone="warn">{text.blindNote(labels)}</Note>}
      {!p.enabled && <Note>{text.offNote}</Note>}
      {p.enabled && p.mode === "draft" && <Note>{text.draftNote}</Note>}
      {p.enabled && p.mode === "shadow" && (
        <Note>
          {text.shadowPolicyNote} {text.wouldBlock(p.stats.would_block_30d)}
        </Note>
      )}
    </div>
  );
}

/** How many violations of a policy are open, as a link to them. */
function OpenViolations({ of: p }: { of: Policy }) {
  const found = useGet<Page<unknown>>("/policies/violations", { policy_id: p.id, state: "open", limit: 1 }, { every: 15_000 });
  if (!found.data) return null;
  return (
    <Link className="sep-link small" to="/violations" search={{ policy_id: p.id, state: "open" }}>
      {text.violationsOfIt(found.data.total)}
    </Link>
  );
}

function Simulation({ id, close }: { id: string; close: () => void }) {
  const simulation = useSimulation(`${base}/${id}/simulations`);
  const { run } = simulation;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs once, when it is opened
  useEffect(() => void run(), []);
  return (
    <Part
      title={text.simulation}
      lead={text.simulationLead}
      actions={
        <>
          <Button reads disabled={simulation.busy} onClick={() => void run()}>
            {text.simulateAgain}
          </Button>
          <Button reads tone="quiet" onClick={close}>
            {text.close}
          </Button>
        </>
      }
    >
      <div className="card padded">
        <SimulationResult of={simulation} />
      </div>
    </Part>
  );
}

function Definition({ of: p }: { of: Policy }) {
  return (
    <div className="violation-parts">
      <section className="card padded stack" aria-label={text.conflict}>
        <h2>{text.conflict}</h2>
        <ConflictPicture
          of={{ kind: p.kind ?? "", n: p.n ?? null, conflicts: (p.matrix?.conflicts ?? []).map((c) => c ?? []) }}
          sides={p.sides ?? []}
          blind={p.blind_sides}
        />
      </section>
      <section className="card padded stack" aria-label={text.definition}>
        <h2>{text.definition}</h2>
        <Facts of={factsOf(p)} />
      </section>
    </div>
  );
}

function contextOf(p: Policy): string {
  const c = p.context ?? {};
  const same = [
    c.same_environment ? text.onlySameEnvironment : "",
    c.same_legal_entity ? text.onlySameLegalEntity : "",
    ...(c.same_attributes ?? []).map((a) => text.onlySameAttribute(a)),
  ].filter(Boolean);
  return [same.join(", ") || text.allAccessCounts, c.exclude_read_only ? text.withoutReadOnly : ""].filter(Boolean).join(", ");
}

function factsOf(p: Policy): [string, ReactNode][] {
  const kind = kindWords(p.kind ?? "");
  return [
    [text.kind, p.kind === "n_of_m" ? text.atLeastNSides(p.n) : kind],
    [text.window, p.history_window ? durationText(p.history_window) : ""],
    [text.onRequest, effectWords(p.effects?.on_request ?? "")],
    [text.exceptionRule, p.exception_rule_id ? <Rule key="e" id={p.exception_rule_id} /> : ""],
    [text.onAssignment, effectWords(p.effects?.on_assign ?? "")],
    [text.onDetection, effectWords(p.effects?.on_detect ?? "")],
    [text.context, contextOf(p)],
    [text.mitigatingControls, p.mitigation_policy_ids?.length ? <Controls key="c" ids={p.mitigation_policy_ids} /> : ""],
    [text.longestMitigation, p.max_mitigation ? durationText(p.max_mitigation) : ""],
    [text.exemptions, p.exemptions ? <Sentence key="x" of={p.exemptions} /> : ""],
    [text.adviceOfThePolicy, p.remediation],
    [text.rationale, p.rationale],
    [text.regulations, (p.regulation_refs ?? []).join(", ")],
    [text.appliesFrom, p.valid_from ? <When key="f" at={p.valid_from} /> : ""],
    [text.appliesUntil, p.valid_to ? <When key="t" at={p.valid_to} /> : ""],
    [
      text.owners,
      p.owner_ids?.length ? (
        <ul key="o">
          {p.owner_ids.map((id) => (
            <li key={id}>
              <PersonName id={id} />
            </li>
          ))}
        </ul>
      ) : (
        ""
      ),
    ],
    [text.source, originWords(p.origin)],
    [text.version, p.version],
    [text.id, <Id key="i" of={p.id} />],
  ];
}

/** The approval rule that allows exceptions. */
function Rule({ id }: { id: string }) {
  return (
    <Link className="sep-link" to="/settings/approval-rules/$id" params={{ id }}>
      <Named kind="rules" id={id} />
    </Link>
  );
}

function Controls({ ids }: { ids: string[] }) {
  return (
    <ul>
      {ids.map((id) => (
        <li key={id}>
          <Named kind="controls" id={id} />
        </li>
      ))}
    </ul>
  );
}

/** A condition on people in words. */
function Sentence({ of }: { of: unknown }) {
  const { verdict } = useVerdict({ condition: of });
  return <bdi>{verdict?.sentence ?? "…"}</bdi>;
}

/** The editor of a policy. A blind policy is edited like any other. */
function Editing({ of: p, close }: { of: Policy; close: () => void }) {
  const [version, read] = useState(p.version);
  const save = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) => ask<Policy>("PATCH", `${base}/${p.id}`, { body: v.body, key: v.key, ifMatch: version }),
    changes: ["/policies/"],
  });
  const form = useForm(policyDraft(p), async (v, key) => {
    const saved = await save.mutateAsync({ body: policyBody(v), key });
    showToast(text.policySaved(saved.name ?? ""));
    close();
  });
  return (
    <>
      <EditConflict refused={form.refused} again={() => read(p.version)} />
      <PolicyEditor of={form} cancel={close} path={`${base}/${p.id}/simulations`} body={policyBody(form.value)} />
    </>
  );
}
