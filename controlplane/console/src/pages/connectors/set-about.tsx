import { useQueryClient } from "@tanstack/react-query";
import * as text from "#text/connectors";
import { ask } from "../../api/client";
import type { Connector } from "../../api/types";
import { useMay } from "../../api/use";
import { Form, SelectField, TextField, useForm, WordsField } from "../../kit/form";
import { showToast } from "../../kit/toast";
import { labelsChange, labelsOf } from "./labels";
import { Stale } from "./stale";
import { environments } from "./words";

const purposes = [
  ["both", text.peopleAccountsAndAccess],
  ["source", text.peopleSource],
  ["target", text.accountsAndAccessTarget],
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
      showToast(text.saved);
    },
  );
  return (
    <Form of={form} verb={text.save} closed={!may.admin}>
      <TextField label={text.name} {...form.field("name")} required max={200} error={form.wrong("name")} />
      <TextField label={text.purpose} rows={2} {...form.field("description")} max={2000} error={form.wrong("description")} />
      <div className="fields">
        <SelectField
          label={text.environment}
          value={form.value.environment}
          set={(v: string) => form.set("environment", v)}
          options={environments}
        />
        <SelectField
          label={text.provides}
          value={form.value.purpose}
          set={(v: string) => form.set("purpose", v)}
          options={purposes}
          hint={text.afterAChangeTheNextSync}
        />
      </div>
      <TextField
        label={text.priorityAmongSourcesOfPeople}
        type="number"
        {...form.field("rank")}
        hint={text.ifSeveralSourcesProvideAPerson}
        error={form.wrong("authority_rank")}
      />
      <WordsField label={text.labels} mono {...form.field("labels")} hint={text.onePerLineAsNameValue} error={form.wrong("labels")} />
      <Stale of={form.refused} path={`/connectors/${c.id}`} />
    </Form>
  );
}
