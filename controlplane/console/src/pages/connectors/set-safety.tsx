import { useQueryClient } from "@tanstack/react-query";
import * as text from "#text/connectors";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Connector, Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { DurationField } from "../../kit/durationfield";
import { Check, Form, SelectField, TextField, useForm } from "../../kit/form";
import { Failure, Note, Skeleton, Table } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { Stale } from "./stale";
import { guardWords } from "./words";

type View = Of<"SafetyView">;
type Limit = Of<"SafetyLimit">;

/** How much may change in a run before it is held. */
export default function Safety({ of: c }: { of: Connector }) {
  const found = useGet<View>(`/connectors/${c.id}/safety`);
  if (found.isPending) return <Skeleton rows={8} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  return <Fields of={c} view={found.data} />;
}

function Fields({ of: c, view }: { of: Connector; view: View }) {
  const may = useMay();
  const queries = useQueryClient();
  const form = useForm(
    { ...view, limits: view.effective, missing: String(view.deletion.missing_runs_required), reason: "" },
    async (v, key) => {
      const { missing, limits, reason, effective, ...rest } = v;
      const body = {
        ...rest,
        limits: own(view, limits),
        deletion: { missing_runs_required: Number(missing) },
        ...(reason ? { reason } : {}),
      };
      await ask("PUT", `/connectors/${c.id}/safety`, { body, key, ifMatch: c.version });
      await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith(`/connectors/${c.id}`) });
      showToast(text.savedTheLimitsApplyFromThe);
    },
  );
  const set = (at: number, change: Partial<Limit>) =>
    form.set(
      "limits",
      form.value.limits.map((l, i) => (i === at ? { ...l, ...change } : l)),
    );
  const loosened = form.refused instanceof Refusal && form.refused.code === "reason_required";
  return (
    <Form of={form} verb={text.save} closed={!may.admin}>
      <p className="muted">{text.changesBelowTheseLimitsAreApplied}</p>
      <Table label={text.limits}>
        <thead>
          <tr>
            <th scope="col">{text.change}</th>
            <th scope="col">{text.minimum}</th>
            <th scope="col">{text.shareOfAll}</th>
            <th scope="col">{text.maximum}</th>
          </tr>
        </thead>
        <tbody className="connectors-limits">
          {form.value.limits.map((l, i) => (
            <tr key={l.kind}>
              <th scope="row">{guardWords(l.kind)}</th>
              {(["floor", "pct", "cap"] as const).map((name) => (
                <td key={name}>
                  <input
                    type="number"
                    min={0}
                    step={name === "pct" ? "any" : 1}
                    aria-label={`${guardWords(l.kind)}: ${name === "floor" ? "minimum" : name === "pct" ? text.shareOfAllInPercent : "maximum"}`}
                    value={l[name]}
                    onChange={(e) => set(i, { [name]: Number(e.target.value) })}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      <div className="fields">
        <DurationField label={text.window} {...form.field("window")} hint={text.changesOfSeveralRunsInThis} error={form.wrong("window")} />
        <DurationField
          label={text.discardHeldChangesAfter}
          {...form.field("hold_ttl")}
          hint={text.oneHourTo30Days}
          error={form.wrong("hold_ttl")}
        />
        <SelectField
          label={text.hold}
          value={form.value.hold_scope}
          set={(v: "kind" | "run") => form.set("hold_scope", v)}
          options={
            [
              ["kind", text.onlyTheKindAboveItsLimit],
              ["run", text.theWholeRun],
            ] as const
          }
        />
        <TextField
          label={text.fullSyncsUntilAMissingRecord}
          type="number"
          {...form.field("missing")}
          hint={text.consecutiveFullSyncsWithoutTheRecord}
          error={form.wrong("deletion/missing_runs_required")}
        />
      </div>
      <Check label={text.alwaysHoldRunsThatChangeMore} {...form.field("total_loss")} />
      {(loosened || form.value.reason) && (
        <TextField
          label={text.reasonForHigherLimits}
          {...form.field("reason")}
          max={500}
          hint={text.recordedInTheAuditLog}
          error={form.wrong("reason")}
          required
        />
      )}
      {may.admin && !loosened && <Note>{text.higherLimitsRequireAReason}</Note>}
      <Stale of={form.refused} path={`/connectors/${c.id}`} />
    </Form>
  );
}

/** Limits of one's own: those that were there, and those that now differ from what held. */
function own(view: View, now: Limit[]): Limit[] {
  return now.filter((l) => {
    const held = view.effective.find((e) => e.kind === l.kind);
    const mine = view.limits.some((m) => m.kind === l.kind);
    return mine || !held || held.floor !== l.floor || held.pct !== l.pct || held.cap !== l.cap;
  });
}
