import { useQueryClient } from "@tanstack/react-query";
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
      showToast("Saved. The limits apply from the next sync run.");
    },
  );
  const set = (at: number, change: Partial<Limit>) =>
    form.set(
      "limits",
      form.value.limits.map((l, i) => (i === at ? { ...l, ...change } : l)),
    );
  const loosened = form.refused instanceof Refusal && form.refused.code === "reason_required";
  return (
    <Form of={form} verb="Save" closed={!may.admin}>
      <p className="muted">
        Changes below these limits are applied without review. Each limit has a minimum, a share of all records and a maximum. A sync run
        above a limit is held until you release or discard it.
      </p>
      <Table label="Limits">
        <thead>
          <tr>
            <th scope="col">Change</th>
            <th scope="col">Minimum</th>
            <th scope="col">Share of all, %</th>
            <th scope="col">Maximum</th>
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
                    aria-label={`${guardWords(l.kind)}: ${name === "floor" ? "minimum" : name === "pct" ? "share of all in percent" : "maximum"}`}
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
        <DurationField
          label="Window"
          {...form.field("window")}
          hint="Changes of several runs in this window count together. One hour to one week."
          error={form.wrong("window")}
        />
        <DurationField
          label="Discard held changes after"
          {...form.field("hold_ttl")}
          hint="One hour to 30 days."
          error={form.wrong("hold_ttl")}
        />
        <SelectField
          label="Hold"
          value={form.value.hold_scope}
          set={(v: "kind" | "run") => form.set("hold_scope", v)}
          options={
            [
              ["kind", "only the kind above its limit"],
              ["run", "the whole run"],
            ] as const
          }
        />
        <TextField
          label="Full syncs until a missing record is removed"
          type="number"
          {...form.field("missing")}
          hint="Consecutive full syncs without the record; 1 to 10."
          error={form.wrong("deletion/missing_runs_required")}
        />
      </div>
      <Check label="Always hold runs that change more than half" {...form.field("total_loss")} />
      {(loosened || form.value.reason) && (
        <TextField
          label="Reason for higher limits"
          {...form.field("reason")}
          max={500}
          hint="Recorded in the audit log."
          error={form.wrong("reason")}
          required
        />
      )}
      {may.admin && !loosened && <Note>Higher limits require a reason.</Note>}
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
