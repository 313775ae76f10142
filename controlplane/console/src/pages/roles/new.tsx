import * as text from "#text/roles";
import { ask } from "../../api/client";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Head } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { type Role, types } from "./model";

/** Begins a role: by its name. A draft gives nothing to anybody until it is published. */
export default function NewRole() {
  const navigate = useGo();
  const form = useForm({ name: "", description: "", role_type: "business", key: "" }, async (v, key) => {
    const { key: own, ...rest } = v;
    const body = { ...rest, lifecycle: "draft", ...(own.trim() ? { key: own.trim() } : {}) };
    const made = await ask<Role>("POST", "/entitlements/roles", { body, key });
    await navigate({ to: "/roles/$id/$tab", params: { id: made.id, tab: "draft" } });
  });
  return (
    <>
      <Head title={text.newRole} lead={text.theRoleGrantsAccessAfterIt} up={<Link to="/roles">{text.roles}</Link>} />
      <Form of={form} verb={text.saveDraft}>
        <TextField label={text.name} required max={200} {...form.field("name")} autoFocus />
        <TextField label={text.purpose} hint={text.shownToRequesters} rows={3} max={2000} {...form.field("description")} />
        <SelectField
          label={text.kind}
          value={form.value.role_type as (typeof types)[number][0]}
          set={(v) => form.set("role_type", v)}
          options={types}
        />
        <TextField label={text.key} hint={text.theNameInFilesAndPacks} mono max={100} {...form.field("key")} />
      </Form>
    </>
  );
}
