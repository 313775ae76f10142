import * as text from "#text/mitigation";
import { DurationField } from "../../kit/durationfield";
import { Check, Checks, FieldError, Form, type FormState, SelectField, TextField } from "../../kit/form";
import { ManyPick } from "../policies/manypick";
import { wrongWithin } from "../separation/dutyeditor";
import { type QueryDraft, QueryEditor, queryBody, queryDraft } from "./queryeditor";
import { type ControlFields, severityOptions } from "./words";

/** What of a control is written. */
export type ControlDraft = {
  name: string;
  description: string;
  procedure: string;
  control_type: NonNullable<ControlFields["control_type"]>;
  effectiveness: NonNullable<ControlFields["effectiveness"]>;
  owner_ids: string[];
  approver_ids: string[];
  policy_ids: string[];
  severities: (keyof typeof text.severityChoices)[];
  max_duration: string;
  on_lapse: NonNullable<ControlFields["on_lapse"]>;
  required: boolean;
  kind: keyof typeof text.evidenceKinds;
  cadence: string;
  grace: string;
  query: QueryDraft;
};

export const controlDraft = (c?: ControlFields): ControlDraft => ({
  name: c?.name ?? "",
  description: c?.description ?? "",
  procedure: c?.procedure ?? "",
  control_type: c?.control_type ?? "detective",
  effectiveness: c?.effectiveness ?? "medium",
  owner_ids: c?.control_owner_ids ?? [],
  approver_ids: c?.approver_ids ?? [],
  policy_ids: c?.applies_to?.sod_policy_ids ?? [],
  severities: c?.applies_to?.severities ?? [],
  max_duration: c?.max_duration ?? "P90D",
  on_lapse: c?.on_lapse ?? "reopen",
  required: c?.evidence?.required ?? true,
  kind: c?.evidence?.kind ?? "attestation",
  cadence: c?.evidence?.cadence ?? "P30D",
  grace: c?.evidence?.grace ?? "P7D",
  query: queryDraft(c?.evidence?.query),
});

/** A written control as the API takes it. */
export const controlBody = (d: ControlDraft) => ({
  name: d.name,
  description: d.description,
  procedure: d.procedure,
  control_type: d.control_type,
  effectiveness: d.effectiveness,
  control_owner_ids: d.owner_ids,
  approver_ids: d.approver_ids,
  applies_to: { sod_policy_ids: d.policy_ids, severities: d.severities },
  evidence: {
    required: d.required,
    kind: d.kind,
    cadence: d.cadence,
    grace: d.grace,
    query: d.kind === "automatic_query" ? queryBody(d.query) : null,
  },
  max_duration: d.max_duration,
  on_lapse: d.on_lapse,
});

const types = Object.entries(text.controlTypeChoices) as [ControlDraft["control_type"], string][];
const effectivenesses = Object.entries(text.effectivenesses) as [ControlDraft["effectiveness"], string][];
const evidenceKinds = Object.entries(text.evidenceKindChoices) as [ControlDraft["kind"], string][];
const lapses = Object.entries(text.onLapseChoices) as [ControlDraft["on_lapse"], string][];
const units = ["day", "week"] as const;

/** The form of a control. */
export function ControlEditor({ of, cancel }: { of: FormState<ControlDraft>; cancel: () => void }) {
  const { value: v, set } = of;
  const within = (pointer: string) => wrongWithin(of.refused, pointer);
  return (
    <Form of={of} verb={text.save} cancel={cancel}>
      <TextField label={text.name} {...of.field("name")} required max={200} />
      <TextField label={text.description} hint={text.descriptionHint} rows={2} {...of.field("description")} max={4000} />
      <TextField label={text.procedure} hint={text.procedureHint} rows={4} {...of.field("procedure")} max={20000} />
      <div className="fields">
        <SelectField label={text.kindOfControl} {...of.field("control_type")} options={types} />
        <SelectField label={text.effectiveness} {...of.field("effectiveness")} options={effectivenesses} />
      </div>
      <ManyPick
        label={text.owners}
        kind="people"
        hint={text.ownersHint}
        ids={v.owner_ids}
        set={(ids) => set("owner_ids", ids)}
        error={within("control_owner_ids")}
      />
      <ManyPick
        label={text.approvers}
        kind="people"
        hint={text.approversHint}
        ids={v.approver_ids}
        set={(ids) => set("approver_ids", ids)}
        error={within("approver_ids")}
      />
      <ManyPick
        label={text.policies}
        kind="separation"
        hint={text.policiesHint}
        ids={v.policy_ids}
        set={(ids) => set("policy_ids", ids)}
        error={within("applies_to/sod_policy_ids")}
      />
      <div className="stack tight">
        <Checks label={text.severities} value={v.severities} set={(s) => set("severities", s)} options={severityOptions} />
        <small className="muted">{text.severitiesHint}</small>
        <FieldError of={within("applies_to/severities")} />
      </div>
      <DurationField
        label={text.longestDuration}
        hint={text.longestDurationHint}
        {...of.field("max_duration")}
        units={units}
        none={text.defaultDuration(90)}
      />
      <SelectField label={text.onLapse} hint={text.onLapseHint} {...of.field("on_lapse")} options={lapses} />
      <Check label={text.evidenceIsRequired} hint={text.evidenceIsRequiredHint} value={v.required} set={(on) => set("required", on)} />
      {v.required && (
        <>
          <SelectField label={text.kindOfEvidence} {...of.field("kind", "evidence/kind")} options={evidenceKinds} />
          <div className="fields">
            <DurationField
              label={text.interval}
              hint={text.intervalHint}
              {...of.field("cadence", "evidence/cadence")}
              units={units}
              none={text.defaultDuration(30)}
            />
            <DurationField
              label={text.grace}
              hint={text.graceHint}
              {...of.field("grace", "evidence/grace")}
              units={units}
              none={text.defaultDuration(7)}
            />
          </div>
          {v.kind === "automatic_query" && (
            <QueryEditor
              of={v.query}
              set={(q) => set("query", q)}
              wrong={(p) => within(`evidence/query/${p}`)}
              scope={{ cadence: v.cadence, sod_policy_ids: v.policy_ids, severities: v.severities }}
            />
          )}
        </>
      )}
    </Form>
  );
}
