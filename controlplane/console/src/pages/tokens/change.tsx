import { useQueryClient } from "@tanstack/react-query";
import * as text from "#text/tokens";
import { ask } from "../../api/client";
import { EditConflict } from "../../kit/editconflict";
import { Form, TextField, useForm } from "../../kit/form";
import { showToast } from "../../kit/toast";
import { LimitFields, type Limits, sent } from "./fields";
import type { Token } from "./words";

/** Changes the name and the limits of a token; what it may do is changed by making another. */
export function Change({ of, done, again }: { of: Token; done: () => void; again: () => void }) {
  const queries = useQueryClient();
  const limits: Limits = {
    cidrs: of.allowed_cidrs,
    rps: of.rate_limit ? String(of.rate_limit.rps) : "",
    burst: of.rate_limit ? String(of.rate_limit.burst) : "",
    idle: of.idle_disable_after,
  };
  const form = useForm({ name: of.name, description: of.description, limits }, async (v, key) => {
    const body = { name: v.name.trim(), description: v.description.trim(), ...sent(v.limits) };
    await ask("PATCH", `/settings/api-tokens/${of.id}`, { body, key, ifMatch: of.version });
    await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/settings/api-tokens") });
    showToast(text.savedTheChangeIsEffectiveWithin);
    done();
  });
  const { value: v, set, wrong } = form;
  return (
    <Form of={form} verb={text.save} cancel={done}>
      <TextField label={text.name} value={v.name} set={(n) => set("name", n)} max={100} required error={wrong("name")} />
      <TextField
        label={text.purpose}
        value={v.description}
        set={(d) => set("description", d)}
        max={1000}
        rows={2}
        error={wrong("description")}
      />
      <LimitFields value={v.limits} set={(l) => set("limits", l)} wrong={wrong} />
      <EditConflict refused={form.refused} again={again} />
    </Form>
  );
}
