import { useQueryClient } from "@tanstack/react-query";
import { ask } from "../../api/client";
import type { Connector } from "../../api/types";
import { useMay } from "../../api/use";
import { Form, SelectField, TextField, useForm, WordsField } from "../../kit/form";
import { showToast } from "../../kit/toast";
import { labelsChange, labelsOf } from "./labels";
import { Stale } from "./stale";
import { environments } from "./words";

const purposes = [
  ["both", "People, accounts and access"],
  ["source", "People (source)"],
  ["target", "Accounts and access (target)"],
] as const;

/** What a connector is called, what it is for, and its labels. */
export default function About({ of: c }: { of: Connector }) {
  const may = useMay();
  const queries = useQueryClient();
  const form = useForm(
    {
      name: c.name,
      description: c.description,
      environment: c.environment,
      purpose: c.purpose,
      rank: String(c.authority_rank),
      labels: labelsOf(c.labels),
    },
    async (v, key) => {
      const { rank, labels, ...rest } = v;
      const body = { ...rest, authority_rank: Number(rank), labels: labelsChange(c.labels, labels) };
      await ask("PATCH", `/connectors/${c.id}`, { body, key, ifMatch: c.version });
      await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/connectors") });
      showToast("Saved.");
    },
  );
  return (
    <Form of={form} verb="Save" closed={!may.admin}>
      <TextField label="Name" {...form.field("name")} required max={200} error={form.wrong("name")} />
      <TextField label="Purpose" rows={2} {...form.field("description")} max={2000} error={form.wrong("description")} />
      <div className="fields">
        <SelectField
          label="Environment"
          value={form.value.environment}
          set={(v: string) => form.set("environment", v)}
          options={environments}
        />
        <SelectField
          label="Provides"
          value={form.value.purpose}
          set={(v: string) => form.set("purpose", v)}
          options={purposes}
          hint="After a change, the next sync run holds absent records."
        />
      </div>
      <TextField
        label="Priority among sources of people"
        type="number"
        {...form.field("rank")}
        hint="If several sources provide a person, the lowest number wins."
        error={form.wrong("authority_rank")}
      />
      <WordsField
        label="Labels"
        mono
        {...form.field("labels")}
        hint="One per line, as name=value. Sector packs find systems by the label tag, such as tag=ehr, clinical."
        error={form.wrong("labels")}
      />
      <Stale of={form.refused} path={`/connectors/${c.id}`} />
    </Form>
  );
}
