import { Check, type FormState, SelectField, TextField, WordsField } from "../../kit/form";
import { access, people, roles } from "../../kit/pick";
import { SpanField } from "../../kit/spanfield";
import { ConditionField } from "../policies/condition";
import { everybody } from "../policies/language";
import { Exclusions, Parameters } from "./lists";
import { type Content, type Role, risks, types } from "./model";
import { AccessName, PersonName, RoleName } from "./names";
import { Several } from "./several";

/** Everything that a role says, to be changed. */
export function Fields({ form, role }: { form: FormState<Content>; role: Role }) {
  const v = form.value;
  const ruled = v.membership_rule !== null && v.membership_rule !== undefined;
  return (
    <>
      <TextField label="Name" required max={200} value={v.name ?? ""} set={(x) => form.set("name", x)} error={form.wrong("name")} />
      <TextField
        label="What it is for"
        rows={2}
        max={2000}
        value={v.description ?? ""}
        set={(x) => form.set("description", x)}
        error={form.wrong("description")}
      />
      <Several
        label="Access in it"
        source={access}
        value={v.entitlement_ids ?? []}
        set={(x) => form.set("entitlement_ids", x)}
        name={(id) => <AccessName id={id} />}
        error={form.wrong("entitlement_ids")}
      />
      <Several
        label="Roles in it"
        source={roles}
        not={role.id}
        value={v.child_role_ids ?? []}
        set={(x) => form.set("child_role_ids", x)}
        name={(id) => <RoleName id={id} />}
        error={form.wrong("child_role_ids")}
      />
      <Check
        label="People have it by rule"
        hint="Whoever the rule is about gets it by itself, and loses it when the rule is not about them any more."
        value={ruled}
        set={(on) => form.set("membership_rule", on ? (everybody as never) : null)}
      />
      {ruled && (
        <>
          <ConditionField
            label="Who has it by rule"
            value={v.membership_rule}
            set={(c) => form.set("membership_rule", c as never)}
            wrong={form.wrong}
            at="membership_rule"
          />
          <Exclusions value={v.membership_exclusions ?? []} set={(x) => form.set("membership_exclusions", x)} wrong={form.wrong} />
        </>
      )}
      <Several
        label="Owners"
        source={people}
        value={v.owner_ids ?? []}
        set={(x) => form.set("owner_ids", x)}
        name={(id) => <PersonName id={id} />}
        error={form.wrong("owner_ids")}
      />
      <Several
        label="Owners in reserve"
        source={people}
        value={v.backup_owner_ids ?? []}
        set={(x) => form.set("backup_owner_ids", x)}
        name={(id) => <PersonName id={id} />}
        error={form.wrong("backup_owner_ids")}
      />
      <Check
        label="People may ask for it"
        hint="That needs words on what it is for."
        value={v.requestable ?? false}
        set={(x) => form.set("requestable", x)}
      />
      {form.wrong("requestable") && <small className="bad">{form.wrong("requestable")}</small>}
      <div className="fields">
        <SelectField label="Kind" value={v.role_type ?? "business"} set={(x) => form.set("role_type", x)} options={types} />
        <SelectField
          label="Risk"
          none="That of the riskiest thing in it"
          value={v.risk_level ?? ""}
          set={(x) => form.set("risk_level", x || null)}
          options={risks}
        />
        <SpanField
          label="Longest time"
          none="without a limit"
          value={v.max_duration ?? ""}
          set={(x) => form.set("max_duration", x || null)}
          error={form.wrong("max_duration")}
        />
        <SpanField
          label="Usual time"
          none="the longest time"
          value={v.default_duration ?? ""}
          set={(x) => form.set("default_duration", x || null)}
          error={form.wrong("default_duration")}
        />
      </div>
      <Parameters value={v.parameters ?? []} set={(x) => form.set("parameters", x)} wrong={form.wrong} />
      <div className="fields">
        <WordsField
          label="Duties"
          hint="What its holders do, one a line, for separation of duties."
          rows={2}
          value={v.duty_tags ?? []}
          set={(x) => form.set("duty_tags", x)}
          error={form.wrong("duty_tags")}
        />
        <WordsField
          label="Compliance tags"
          hint="One a line."
          rows={2}
          value={v.compliance_tags ?? []}
          set={(x) => form.set("compliance_tags", x)}
          error={form.wrong("compliance_tags")}
        />
      </div>
    </>
  );
}
