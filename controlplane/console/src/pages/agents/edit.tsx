import { useQueryClient } from "@tanstack/react-query";
import * as text from "#text/agents";
import { ask } from "../../api/client";
import { Dialog } from "../../kit/dialog";
import { Form, TextField, useForm } from "../../kit/form";
import { Release } from "./release";
import type { Agent } from "./words";

/** Changes the name, the group and the description of an agent. */
export function Edit({ of, close }: { of: Agent; close: () => void }) {
  const queries = useQueryClient();
  const form = useForm({ name: of.name, group: of.group ?? "", description: of.description, release: false }, async (v, key) => {
    await ask("PATCH", `/settings/agents/${of.id}`, {
      body: { name: v.name.trim(), group: v.group.trim(), description: v.description, release_credentials: v.release },
      key,
    });
    await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/settings/agents") });
    close();
  });
  return (
    <Dialog open close={close} title={text.editName(of.name)}>
      <Form of={form} verb={text.save} cancel={close}>
        <TextField label={text.name} {...form.field("name")} required max={100} error={form.wrong("name")} />
        <TextField
          label={text.group}
          {...form.field("group")}
          max={100}
          error={form.wrong("group")}
          hint={text.agentsOfOneGroupTakeOverHint}
        />
        {form.value.group.trim() !== "" && form.value.group.trim() !== (of.group ?? "") && <Release {...form.field("release")} />}
        <TextField label={text.description} rows={3} {...form.field("description")} max={1000} error={form.wrong("description")} />
      </Form>
    </Dialog>
  );
}
