import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/roles";
import { ask } from "../../api/client";
import { Dialog } from "../../kit/dialog";
import { EditConflict } from "../../kit/editconflict";
import { Check, FieldError, Form, SelectField, TextField, useForm, WordsField } from "../../kit/form";
import { showToast } from "../../kit/toast";
import { labelsOf } from "../connectors/labels";
import { type Described, described, describedPatch, patchOf, type Role, risksFrom } from "./model";

/** What the owners of a role write themselves: what describes it. All else of it is for administrators. */
export default function Describe({ role, close }: { role: Role; close: () => void }) {
  const queries = useQueryClient();
  const [base, setBase] = useState(role);
  const [settled, setSettled] = useState<unknown>(); // the refusal after which it was read again
  const form = useForm(valuesOf(role), async (v, key) => {
    await ask("PATCH", `/entitlements/roles/${role.id}`, { body: describedPatch(described(base), written(v)), key, ifMatch: base.version });
    showToast(text.saved);
    await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/entitlements/roles") });
    close();
  });
  const again = async () => {
    const now = await ask<Role>("GET", `/entitlements/roles/${role.id}`);
    form.replace({ ...valuesOf(now), ...patchOf(valuesOf(base), form.value) });
    setBase(now);
    setSettled(form.refused);
  };
  const inUse = base.lifecycle === "active" || base.lifecycle === "deprecated";
  return (
    <Dialog wide open close={close} title={text.editDescription} lead={text.asAnOwnerYouCanEdit}>
      <Form of={form} verb={text.save} cancel={close}>
        <TextField label={text.purpose} rows={3} max={4000} {...form.field("description")} hint={text.shownToRequesters} />
        <Check label={text.requestable} hint={text.requiresAPurpose} {...form.field("requestable")} />
        <FieldError of={form.wrong("requestable")} />
        <SelectField
          label={text.risk}
          {...form.field("risk_level")}
          {...(base.risk_level ? {} : { none: text.highestRiskOfItsEntitlementsEffective(base.effective_risk_level) })}
          options={risksFrom(base.effective_risk_level, inUse)}
          hint={inUse ? text.youCanOnlyRaiseTheRiskHint : text.youCanOnlyRaiseTheRisk}
        />
        <div className="fields" key={base.version}>
          <WordsField label={text.dutyTags} rows={3} {...form.field("duty_tags")} hint={text.dutiesOfTheMembersOnePer} />
          <WordsField label={text.complianceTags} rows={3} {...form.field("compliance_tags")} hint={text.suchAsSoxOnePerLine} />
          <WordsField label={text.labels} rows={3} mono {...form.field("labels")} hint={text.onePerLineAsNameValue} />
        </div>
        <EditConflict refused={form.refused === settled ? undefined : form.refused} again={() => void again()} />
      </Form>
    </Dialog>
  );
}

/** What the form holds: labels as lines, and no risk of its own as nothing. */
const valuesOf = (r: Role) => ({ ...described(r), risk_level: r.risk_level ?? "", labels: labelsOf(r.labels ?? {}) });

/** The form's values as the service knows them. */
function written(v: ReturnType<typeof valuesOf>): Described {
  const pairs = v.labels.map((line) => line.split("=")).filter(([name]) => name?.trim());
  const labels = Object.fromEntries(pairs.map(([name = "", ...rest]) => [name.trim(), rest.join("=").trim()]));
  return { ...v, risk_level: (v.risk_level || null) as Described["risk_level"], labels };
}
