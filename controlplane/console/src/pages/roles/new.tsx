import { Link, useNavigate } from "@tanstack/react-router";
import { ask } from "../../api/client";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Head } from "../../kit/kit";
import { type Role, types } from "./model";

/** Begins a role: by its name. A draft gives nothing to anybody until it is published. */
export default function NewRole() {
  const navigate = useNavigate();
  const form = useForm({ name: "", description: "", role_type: "business", key: "" }, async (v, key) => {
    const { key: own, ...rest } = v;
    const body = { ...rest, lifecycle: "draft", ...(own.trim() ? { key: own.trim() } : {}) };
    const made = await ask<Role>("POST", "/entitlements/roles", { body, key });
    await navigate({ to: "/roles/$id/$tab", params: { id: made.id, tab: "draft" } as never });
  });
  return (
    <>
      <Head title="New role" lead="The role grants access after it is published." up={<Link to="/roles">Roles</Link>} />
      <Form of={form} verb="Save draft">
        <TextField label="Name" required max={200} {...form.field("name")} autoFocus />
        <TextField label="Purpose" hint="Shown to requesters." rows={3} max={2000} {...form.field("description")} />
        <SelectField
          label="Kind"
          value={form.value.role_type as (typeof types)[number][0]}
          set={(v) => form.set("role_type", v)}
          options={types}
        />
        <TextField
          label="Key"
          hint="The name in files and packs. It cannot be changed. If empty, it is derived from the name."
          mono
          max={100}
          {...form.field("key")}
        />
      </Form>
    </>
  );
}
