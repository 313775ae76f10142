import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/mappings";
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
    showToast(text.savedRunTheRulesToCorrelate);
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
      text.accountsEvaluatedGainsGainedAnOwner(
        r.counts.looked_at,
        number(r.counts.gains),
        number(r.counts.losses),
        number(r.counts.disputed),
      ),
  });
  return (
    <>
      <Form of={form} verb={text.save} closed={!may.admin}>
        {kept.is_default && <Note>{text.theseAreTheDefaultRulesAfter}</Note>}
        <CorrelationRules
          of={form.value.rules}
          set={(rules) => form.set("rules", rules)}
          wrong={(at) => form.wrong(`rules/${at}`)}
          may={may.admin}
        />
        <div className="fields">
          <TextField
            label={text.assignTheOwnerFromAScore}
            {...form.field("auto_link")}
            hint={text.n0To1ASingleCandidate}
            error={form.wrong("auto_link")}
          />
          <TextField
            label={text.askAPersonFromAScore}
            {...form.field("propose")}
            hint={text.belowThisScoreAPersonIs}
            error={form.wrong("propose")}
          />
        </div>
        <Stale of={form.refused} path={`/connectors/${c.id}`} />
      </Form>
      {may.admin && (
        <div className="row">
          <Button disabled={preview.isPending} onClick={() => preview.mutate()}>
            {preview.isPending ? text.evaluating : text.previewRules}
          </Button>
          <Button
            disabled={run.isPending || form.dirty}
            onClick={() => run.mutate()}
            title={form.dirty ? text.saveTheRulesFirst : undefined}
          >
            {run.isPending ? text.running : text.runSavedRules}
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
