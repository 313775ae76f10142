import { Plus, X } from "lucide-react";
import * as text from "#text/separation";
import "./separation.css";
import type { Of } from "../../api/types";
import { dayBegins, dayEnds, dayOf } from "../../kit/day";
import { DurationField } from "../../kit/durationfield";
import { Check, FieldError, Form, type FormState, SelectField, TextField, WordsField } from "../../kit/form";
import { Button, Part } from "../../kit/kit";
import { OtherRule } from "../approvals/resolvers";
import { ConditionField } from "../policies/condition";
import { ManyPick } from "../policies/manypick";
import { Arcs, type Shape } from "./arcs";
import { DraftImpact } from "./draftimpact";
import { wrongWithin } from "./dutyeditor";
import { useDutyNames } from "./dutynames";
import { MatrixGrid } from "./grid";
import { useSimulation } from "./simulation";
import { severityOptions } from "./words";

type Policy = Of<"SeparationPolicy">;
export type Kind = NonNullable<Policy["kind"]>;
type SideDraft = { label: string; duty_ids: string[] };

/** What of a policy is written. */
export type PolicyDraft = {
  name: string;
  description: string;
  rationale: string;
  regulation_refs: string[];
  owner_ids: string[];
  severity: NonNullable<Policy["severity"]>;
  kind: Kind;
  sides: SideDraft[];
  n: string;
  conflicts: number[][];
  window: string;
  same_environment: boolean;
  same_legal_entity: boolean;
  same_attributes: string[];
  exclude_read_only: boolean;
  on_request: "block" | "exception" | "warn" | "record";
  on_assign: "block" | "exception" | "record" | "";
  on_detect: "task" | "revoke_lower_risk" | "record";
  remediation: string;
  control_ids: string[];
  max_mitigation: string;
  exception_rule: string;
  /** Whether people are exempt, and who. */
  exempts: boolean;
  exemptions: unknown;
  valid_from: string;
  valid_to: string;
};

export const policyDraft = (p?: Policy): PolicyDraft => ({
  name: p?.name ?? "",
  description: p?.description ?? "",
  rationale: p?.rationale ?? "",
  regulation_refs: p?.regulation_refs ?? [],
  owner_ids: p?.owner_ids ?? [],
  severity: p?.severity ?? "medium",
  kind: p?.kind ?? "pair",
  sides: (p?.sides ?? [empty, empty]).map((s) => ({ label: s.label ?? "", duty_ids: s.duty_ids })),
  n: String(p?.n ?? 2),
  conflicts: (p?.matrix?.conflicts ?? []).map((c) => c ?? []),
  window: p?.history_window ?? "P90D",
  same_environment: p?.context?.same_environment ?? true,
  same_legal_entity: p?.context?.same_legal_entity ?? false,
  same_attributes: p?.context?.same_attributes ?? [],
  exclude_read_only: p?.context?.exclude_read_only ?? true,
  on_request: p?.effects?.on_request ?? "block",
  on_assign: p?.effects?.on_assign ?? "",
  on_detect: p?.effects?.on_detect ?? "task",
  remediation: p?.remediation ?? "",
  control_ids: p?.mitigation_policy_ids ?? [],
  max_mitigation: p?.max_mitigation ?? "",
  exception_rule: p?.exception_rule_id ?? "",
  exempts: Boolean(p?.exemptions),
  exemptions: p?.exemptions ?? { match: "all", rules: [{ field: "department", op: "eq", value: "" }] },
  valid_from: dayOf(p?.valid_from),
  valid_to: dayOf(p?.valid_to),
});

const empty: SideDraft = { label: "", duty_ids: [] };

/** A written policy as the API takes it: what belongs to another kind is null. */
export const policyBody = (d: PolicyDraft) => ({
  name: d.name,
  description: d.description,
  rationale: d.rationale,
  regulation_refs: d.regulation_refs,
  owner_ids: d.owner_ids,
  severity: d.severity,
  kind: d.kind,
  sides: d.sides,
  n: d.kind === "n_of_m" ? Number(d.n) || 2 : null,
  matrix: d.kind === "matrix" ? { conflicts: d.conflicts } : null,
  history_window: d.kind === "history" ? d.window || null : null,
  context:
    d.kind === "companion"
      ? { same_environment: false, same_legal_entity: false, same_attributes: [], exclude_read_only: d.exclude_read_only }
      : {
          same_environment: d.same_environment,
          same_legal_entity: d.same_legal_entity,
          same_attributes: d.same_attributes,
          exclude_read_only: d.exclude_read_only,
        },
  effects: { on_request: d.on_request, on_detect: d.on_detect, ...(d.on_assign ? { on_assign: d.on_assign } : {}) },
  remediation: d.remediation,
  mitigation_policy_ids: d.control_ids,
  max_mitigation: d.max_mitigation || null,
  exception_rule_id: d.on_request === "exception" ? d.exception_rule || null : null,
  exemptions: d.exempts ? d.exemptions : null,
  valid_from: d.valid_from ? dayBegins(d.valid_from) : null,
  valid_to: d.valid_to ? dayEnds(d.valid_to) : null,
});

const kinds = Object.entries(text.kindChoices) as [Kind, string][];
const effects = Object.entries(text.effectChoices) as [PolicyDraft["on_request"], string][];
const assignEffects = Object.entries(text.assignEffects) as [Exclude<PolicyDraft["on_assign"], "">, string][];
const detectEffects = Object.entries(text.detectEffects) as [PolicyDraft["on_detect"], string][];
const twoSided = (kind: Kind) => kind === "pair" || kind === "companion" || kind === "history";

type Props = {
  of: FormState<PolicyDraft>;
  cancel: () => void;
  /** Where the draft is simulated, and what is sent there. */
  path: string;
  body: object;
};

/** The form of a policy, with a picture of its conflicts and the impact beside it. What the simulation refuses stands at the fields as well. */
export function PolicyEditor({ of, cancel, path, body }: Props) {
  const { value: v } = of;
  const simulation = useSimulation(path);
  const within = (pointer: string) => wrongWithin(of.refused, pointer) ?? wrongWithin(simulation.error, pointer);
  const names = useDutyNames();
  const labelled = v.sides.map((s) => ({ ...s, label: s.label || names.get(s.duty_ids[0] ?? "") || "" }));
  const shape: Shape = { kind: v.kind, sides: labelled, n: Number(v.n) || 2, conflicts: v.conflicts };
  return (
    <div className="separation-editor">
      <Form of={of} verb={text.save} cancel={cancel}>
        <TextField label={text.name} {...of.field("name")} required max={200} />
        <TextField label={text.description} rows={2} {...of.field("description")} max={4000} />
        <SelectField label={text.severity} {...of.field("severity")} options={severityOptions} />
        <SelectField label={text.howSidesConflict} {...of.field("kind")} options={kinds} />
        {v.kind === "n_of_m" && (
          <TextField label={text.numberOfSides} type="number" hint={text.numberOfSidesHint} {...of.field("n")} required />
        )}
        {v.kind === "history" && (
          <DurationField
            label={text.window}
            hint={text.windowHint}
            {...of.field("window", "history_window")}
            units={["day", "week"]}
            required
          />
        )}
        <Sides of={of} within={within} />
        {v.kind === "matrix" && <MatrixGrid of={shape} set={(conflicts) => of.set("conflicts", conflicts)} error={within("matrix")} />}
        <Context of={of} />
        <SelectField label={text.onRequestOfAViolation} {...of.field("on_request", "effects/on_request")} options={effects} />
        {v.on_request === "exception" && (
          <OtherRule
            label={text.exceptionRule}
            of={v.exception_rule}
            set={(id) => of.set("exception_rule", id)}
            error={of.wrong("exception_rule_id")}
          />
        )}
        <SelectField
          label={text.onAssignOfAViolation}
          hint={text.onAssignHint}
          {...of.field("on_assign", "effects/on_assign")}
          {...(v.on_assign ? {} : { none: text.asForRequests })}
          options={assignEffects.filter(([e]) => e !== "exception" || v.on_request === "exception")}
        />
        <SelectField label={text.onDetectedViolation} {...of.field("on_detect", "effects/on_detect")} options={detectEffects} />
        <Mitigations of={of} />
        <Exemptions of={of} within={within} />
        <TextField label={text.remediationLabel} rows={2} {...of.field("remediation")} max={4000} />
        <TextField label={text.rationale} rows={2} hint={text.rationaleHint} {...of.field("rationale")} max={4000} />
        <WordsField label={text.regulationRefs} hint={text.onePerLineSuch} {...of.field("regulation_refs")} />
        <ManyPick
          label={text.owners}
          kind="people"
          ids={v.owner_ids}
          set={(ids) => of.set("owner_ids", ids)}
          error={wrongWithin(of.refused, "owner_ids")}
        />
        <div className="fields">
          <TextField label={text.appliesFrom} type="date" {...of.field("valid_from")} />
          <TextField label={text.appliesUntil} type="date" {...of.field("valid_to")} />
        </div>
      </Form>
      <div className="stack">
        <Part title={text.picture}>
          <div className="card padded">
            <Arcs of={shape} />
          </div>
        </Part>
        <DraftImpact of={simulation} body={body} />
      </div>
    </div>
  );
}

/** The sides with their duties. */
function Sides({ of, within }: { of: FormState<PolicyDraft>; within: (pointer: string) => string | undefined }) {
  const { value: v, set } = of;
  const write = (i: number, change: Partial<SideDraft>) =>
    set(
      "sides",
      v.sides.map((s, j) => (j === i ? { ...s, ...change } : s)),
    );
  const remove = (i: number) =>
    of.replace({
      ...v,
      sides: v.sides.filter((_, j) => j !== i),
      conflicts: v.conflicts.filter((c) => !c.includes(i)).map((c) => c.map((s) => (s > i ? s - 1 : s))),
    });
  return (
    <>
      {v.sides.map((s, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sides are told apart by their positions
        <fieldset key={i} className="duty-group">
          <legend className="sr">{text.sideN(i + 1)}</legend>
          <div className="row between">
            <h2>{text.sideN(i + 1)}</h2>
            {v.sides.length > 2 && (
              <Button tone="quiet" className="icon" aria-label={text.removeSideN(i + 1)} onClick={() => remove(i)}>
                <X aria-hidden size={14} />
              </Button>
            )}
          </div>
          <ManyPick
            label={text.dutiesOfSideN(i + 1)}
            kind="duties"
            hint={text.anyOfTheDuties}
            ids={s.duty_ids}
            set={(duty_ids) => write(i, { duty_ids })}
            error={within(`sides/${i}/duty_ids`)}
          />
          <TextField label={text.labelOfSide} hint={text.labelHint} value={s.label} set={(label) => write(i, { label })} max={200} />
        </fieldset>
      ))}
      {(!twoSided(v.kind) || v.sides.length < 2) && (
        <div>
          <Button onClick={() => set("sides", [...v.sides, empty])}>
            <Plus aria-hidden size={14} /> {text.addSide}
          </Button>
        </div>
      )}
      <FieldError of={of.wrong("sides")} />
    </>
  );
}

/** The controls that can be applied to violations, and for how long. */
function Mitigations({ of }: { of: FormState<PolicyDraft> }) {
  return (
    <>
      <ManyPick
        label={text.mitigatingControls}
        kind="controls"
        hint={text.mitigatingControlsHint}
        ids={of.value.control_ids}
        set={(ids) => of.set("control_ids", ids)}
        error={wrongWithin(of.refused, "mitigation_policy_ids")}
      />
      <DurationField
        label={text.longestMitigation}
        hint={text.longestMitigationHint}
        {...of.field("max_mitigation")}
        units={["day", "week"]}
      />
    </>
  );
}

/** People to whom the policy does not apply. */
function Exemptions({ of, within }: { of: FormState<PolicyDraft>; within: (pointer: string) => string | undefined }) {
  const { value: v, set } = of;
  return (
    <>
      <Check label={text.exemptPeople} hint={text.exemptPeopleHint} value={v.exempts} set={(on) => set("exempts", on)} />
      {v.exempts && (
        <ConditionField label={text.exemptions} value={v.exemptions} set={(c) => set("exemptions", c)} wrong={within} at="exemptions" />
      )}
    </>
  );
}

/** Which access counts together. */
function Context({ of }: { of: FormState<PolicyDraft> }) {
  const { value: v, set } = of;
  return (
    <fieldset className="checks">
      <legend>{text.contextTitle}</legend>
      {v.kind === "companion" ? (
        <p className="small muted">{text.companionComparesNothing}</p>
      ) : (
        <>
          <Check
            label={text.sameEnvironment}
            hint={text.sameEnvironmentHint}
            value={v.same_environment}
            set={(on) => set("same_environment", on)}
          />
          <Check
            label={text.sameLegalEntity}
            hint={text.sameLegalEntityHint}
            value={v.same_legal_entity}
            set={(on) => set("same_legal_entity", on)}
          />
          <WordsField
            label={text.sameAttributes}
            hint={text.sameAttributesHint}
            value={v.same_attributes}
            set={(words) => set("same_attributes", words)}
            error={wrongWithin(of.refused, "context")}
            rows={2}
          />
        </>
      )}
      <Check label={text.excludeReadOnly} value={v.exclude_read_only} set={(on) => set("exclude_read_only", on)} />
    </fieldset>
  );
}
