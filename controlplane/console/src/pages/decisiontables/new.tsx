import * as text from "#text/decisiontables";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Head } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { ManyPick } from "../policies/manypick";
import { type HitPolicy, hitPolicyOptions } from "./draft";

type Draft = { name: string; description: string; hit: HitPolicy; fields: string; roles: string[]; entitlements: string[] };

const first: Draft = { name: "", description: "", hit: "all", fields: "department", roles: [], entitlements: [] };

/** Makes a decision table with one row for everyone. It changes nothing until it is put in force. */
export default function NewDecisionTable() {
  const go = useGo();
  const make = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) => ask<Of<"AccessPolicy">>("POST", "/policies/access-grant", { body: v.body, key: v.key }),
    changes: ["/policies"],
  });
  const form = useForm(first, async (v, key) => {
    const columns = v.fields
      .split(",")
      .map((f) => f.trim())
      .filter(Boolean);
    const row = { cells: columns.map(() => "*"), role_ids: v.roles, entitlement_ids: v.entitlements, comment: "" };
    const body = {
      name: v.name,
      description: v.description,
      mode: "shadow",
      birthright: true,
      table: { hit_policy: v.hit, columns, rows: [row] },
    };
    const made = await make.mutateAsync({ body, key });
    showToast(text.nameCreatedAsADryRun(made.name ?? v.name));
    void go({ to: "/decision-tables/$id", params: { id: made.id } });
  });
  const { value: v, set, wrong } = form;
  return (
    <div className="stack">
      <Head title={text.newDecisionTable} up={<Link to="/decision-tables">{text.decisionTables}</Link>} lead={text.newLead} />
      <Form of={form} verb={text.create} cancel={() => void go({ to: "/decision-tables" })}>
        <TextField label={text.name} value={v.name} set={(t) => set("name", t)} error={wrong("name")} required max={200} />
        <TextField
          label={text.description}
          rows={2}
          value={v.description}
          set={(t) => set("description", t)}
          error={wrong("description")}
          max={2000}
        />
        <TextField
          label={text.fields}
          hint={text.fieldsHint}
          value={v.fields}
          set={(t) => set("fields", t)}
          error={wrong("table/columns/0") ?? wrong("table/columns/1") ?? wrong("table/columns/2") ?? wrong("table/columns")}
          required
          max={1000}
        />
        <SelectField label={text.hitPolicy} value={v.hit} set={(h) => set("hit", h)} options={hitPolicyOptions} />
        <fieldset className="stack tight closed">
          <legend className="field-label">{text.access}</legend>
          <p className="muted small">{text.firstRowLead}</p>
          <ManyPick
            label={text.roles}
            kind="roles"
            ids={v.roles}
            set={(ids) => set("roles", ids)}
            error={wrong("table/rows/0/role_ids") ?? wrong("table/rows/0/role_ids/0")}
          />
          <ManyPick
            label={text.entitlements}
            kind="access"
            ids={v.entitlements}
            set={(ids) => set("entitlements", ids)}
            error={wrong("table/rows/0/entitlement_ids/0")}
          />
        </fieldset>
      </Form>
    </div>
  );
}
