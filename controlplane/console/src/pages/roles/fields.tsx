import * as text from "#text/roles";
import { DurationField } from "../../kit/durationfield";
import { Check, type FormState, SelectField, TextField, WordsField } from "../../kit/form";
import { access, people, roles } from "../../kit/pick";
import { ConditionField } from "../policies/condition";
import { matchAll } from "../policies/language";
import { Exclusions, Parameters } from "./lists";
import { type Content, type Role, risks, types } from "./model";
import { MultiPick } from "./multipick";
import { AccessName, PersonName, RoleName } from "./names";

/** Everything that a role says, to be changed. */
export function Fields({ form, role }: { form: FormState<Content>; role: Role }) {
  const v = form.value;
  const ruled = v.membership_rule !== null && v.membership_rule !== undefined;
  return (
    <>
      <TextField label={text.name} required max={200} value={v.name ?? ""} set={(x) => form.set("name", x)} error={form.wrong("name")} />
      <TextField
        label={text.purpose}
        rows={2}
        max={2000}
        value={v.description ?? ""}
        set={(x) => form.set("description", x)}
        error={form.wrong("description")}
      />
      <MultiPick
        label={text.entitlements}
        source={access}
        value={v.entitlement_ids ?? []}
        set={(x) => form.set("entitlement_ids", x)}
        name={(id) => <AccessName id={id} />}
        error={form.wrong("entitlement_ids")}
      />
      <MultiPick
        label={text.includedRoles}
        source={roles}
        not={role.id}
        value={v.child_role_ids ?? []}
        set={(x) => form.set("child_role_ids", x)}
        name={(id) => <RoleName id={id} />}
        error={form.wrong("child_role_ids")}
      />
      <Check
        label={text.assignAutomaticallyByRule}
        hint={text.peopleGetTheRoleWhenThey}
        value={ruled}
        set={(on) => form.set("membership_rule", on ? (matchAll as never) : null)}
      />
      {ruled && (
        <>
          <ConditionField
            label={text.membershipRule}
            value={v.membership_rule}
            set={(c) => form.set("membership_rule", c as never)}
            wrong={form.wrong}
            at="membership_rule"
          />
          <Exclusions value={v.membership_exclusions ?? []} set={(x) => form.set("membership_exclusions", x)} wrong={form.wrong} />
        </>
      )}
      <MultiPick
        label={text.owners}
        source={people}
        value={v.owner_ids ?? []}
        set={(x) => form.set("owner_ids", x)}
        name={(id) => <PersonName id={id} />}
        error={form.wrong("owner_ids")}
      />
      <MultiPick
        label={text.backupOwners}
        source={people}
        value={v.backup_owner_ids ?? []}
        set={(x) => form.set("backup_owner_ids", x)}
        name={(id) => <PersonName id={id} />}
        error={form.wrong("backup_owner_ids")}
      />
      <Check label={text.requestable} hint={text.requiresAPurpose} value={v.requestable ?? false} set={(x) => form.set("requestable", x)} />
      {form.wrong("requestable") && <small className="bad">{form.wrong("requestable")}</small>}
      <div className="fields">
        <SelectField label={text.kind} value={v.role_type ?? "business"} set={(x) => form.set("role_type", x)} options={types} />
        <SelectField
          label={text.risk}
          none={text.highestRiskOfItsEntitlements}
          value={v.risk_level ?? ""}
          set={(x) => form.set("risk_level", x || null)}
          options={risks}
        />
        <DurationField
          label={text.maximumDuration}
          none={text.noLimit}
          value={v.max_duration ?? ""}
          set={(x) => form.set("max_duration", x || null)}
          error={form.wrong("max_duration")}
        />
        <DurationField
          label={text.defaultDuration}
          none={text.theMaximumDuration}
          value={v.default_duration ?? ""}
          set={(x) => form.set("default_duration", x || null)}
          error={form.wrong("default_duration")}
        />
      </div>
      <Parameters value={v.parameters ?? []} set={(x) => form.set("parameters", x)} wrong={form.wrong} />
      <div className="fields">
        <WordsField
          label={text.dutyTags}
          hint={text.dutiesOfTheMembersOnePer}
          rows={2}
          value={v.duty_tags ?? []}
          set={(x) => form.set("duty_tags", x)}
          error={form.wrong("duty_tags")}
        />
        <WordsField
          label={text.complianceTags}
          hint={text.onePerLine}
          rows={2}
          value={v.compliance_tags ?? []}
          set={(x) => form.set("compliance_tags", x)}
          error={form.wrong("compliance_tags")}
        />
      </div>
    </>
  );
}
