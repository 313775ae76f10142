import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
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
    showToast("Saved.");
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
    <Dialog
      wide
      open
      close={close}
      title="Edit description"
      lead="As an owner you can edit these fields. Administrators can edit all fields."
    >
      <Form of={form} verb="Save" cancel={close}>
        <TextField label="Purpose" rows={3} max={4000} {...form.field("description")} hint="Shown to requesters." />
        <Check label="Requestable" hint="Requires a purpose." {...form.field("requestable")} />
        <FieldError of={form.wrong("requestable")} />
        <SelectField
          label="Risk"
          {...form.field("risk_level")}
          {...(base.risk_level ? {} : { none: `Highest risk of its entitlements: ${base.effective_risk_level}` })}
          options={risksFrom(base.effective_risk_level, inUse)}
          hint={
            inUse
              ? "You can only raise the risk. Only administrators can set high or critical, with the approval of another person."
              : "You can only raise the risk."
          }
        />
        <div className="fields" key={base.version}>
          <WordsField
            label="Duty tags"
            rows={3}
            {...form.field("duty_tags")}
            hint="Duties of the members, one per line, for separation of duties."
          />
          <WordsField label="Compliance tags" rows={3} {...form.field("compliance_tags")} hint="Such as SOX. One per line." />
          <WordsField label="Labels" rows={3} mono {...form.field("labels")} hint="One per line, as name=value." />
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
