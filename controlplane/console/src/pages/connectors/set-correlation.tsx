import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { number } from "../../kit/count";
import { Form, TextField, useForm } from "../../kit/form";
import { Button, Failure, Note, Skeleton } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { CorrelationResult } from "./correlated";
import { CorrelationRules } from "./correlation-rules";
import { Stale } from "./stale";
import { many } from "./words";

type Correlation = Of<"Correlation">;

/** Which rules join accounts to people, and from which score on. */
export default function CorrelationTab({ of: c }: { of: Connector }) {
  const found = useGet<Correlation>(`/connectors/${c.id}/correlation`);
  if (found.isPending) return <Skeleton rows={6} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  return <Fields of={c} kept={found.data} />;
}

function Fields({ of: c, kept }: { of: Connector; kept: Correlation }) {
  const may = useMay();
  const queries = useQueryClient();
  const [previewed, setPreviewed] = useState<Of<"CorrelationPreview">>();
  const form = useForm({ rules: kept.rules, auto_link: String(kept.auto_link), propose: String(kept.propose) }, async (v, key) => {
    await ask("PUT", `/connectors/${c.id}/correlation`, { key, body: body(v), ifMatch: c.version });
    await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith(`/connectors/${c.id}`) });
    showToast("Saved. Run the rules to correlate all accounts again, or wait for the next sync.");
  });
  const preview = useAct({
    act: (_, key) =>
      ask<Of<"CorrelationPreview">>("POST", "/accounts/correlation/preview", { key, body: { connector_id: c.id, ...body(form.value) } }),
    after: setPreviewed,
  });
  const run = useAct({
    act: (_, key) => ask<Of<"CorrelationRun">>("POST", "/accounts/correlation/run", { key, body: { connector_id: c.id } }),
    changes: ["/accounts", "/identities"],
    done: (r) =>
      `${many(r.counts.looked_at, "account")} evaluated: ${number(r.counts.gains)} gained an owner, ${number(r.counts.losses)} lost their owner, ${number(r.counts.disputed)} became disputed.`,
  });
  return (
    <>
      <Form of={form} verb="Save" closed={!may.admin}>
        {kept.is_default && <Note>These are the default rules. After you save them, they belong to this connector.</Note>}
        <CorrelationRules
          of={form.value.rules}
          set={(rules) => form.set("rules", rules)}
          wrong={(at) => form.wrong(`rules/${at}`)}
          may={may.admin}
        />
        <div className="fields">
          <TextField
            label="Assign the owner from a score of"
            {...form.field("auto_link")}
            hint="0 to 1. A single candidate with this score or more becomes the owner."
            error={form.wrong("auto_link")}
          />
          <TextField
            label="Ask a person from a score of"
            {...form.field("propose")}
            hint="Below this score, a person is not a candidate."
            error={form.wrong("propose")}
          />
        </div>
        <Stale of={form.refused} path={`/connectors/${c.id}`} />
      </Form>
      {may.admin && (
        <div className="row">
          <Button disabled={preview.isPending} onClick={() => preview.mutate()}>
            {preview.isPending ? "Evaluating…" : "Preview rules"}
          </Button>
          <Button
            disabled={run.isPending || form.dirty}
            onClick={() => run.mutate()}
            title={form.dirty ? "Save the rules first" : undefined}
          >
            {run.isPending ? "Running…" : "Run saved rules"}
          </Button>
        </div>
      )}
      {previewed && <CorrelationResult of={previewed} />}
    </>
  );
}

const body = (v: { rules: Correlation["rules"]; auto_link: string; propose: string }) => ({
  rules: v.rules,
  auto_link: Number(v.auto_link),
  propose: Number(v.propose),
});
