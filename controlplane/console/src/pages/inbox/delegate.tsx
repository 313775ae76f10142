import { useQueryClient } from "@tanstack/react-query";
import * as text from "#text/inbox";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useMay, useMe } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { Check, Checks, Form, TextField, useForm } from "../../kit/form";
import { colleagues, Pick, type Picked, people } from "../../kit/pick";
import { useSystems } from "../../kit/systems";
import { showToast } from "../../kit/toast";
import { ConditionField } from "../policies/condition";
import { asGroup } from "../policies/language";
import { kindOptions } from "./tasks";

type Delegation = Of<"DecisionDelegation">;

type RiskLevel = "low" | "medium" | "high" | "critical";

type Typed = {
  from: Picked | null;
  to: Picked | null;
  starts: string;
  ends: string;
  kinds: string[];
  systems: string[];
  risks: RiskLevel[];
  condition: unknown;
  open: boolean;
  reason: string;
};

/** Lets somebody decide for somebody else, or changes that. */
export default function Delegate({ of, close }: { of: Delegation | undefined; close: () => void }) {
  const may = useMay();
  const me = useMe();
  const queries = useQueryClient();
  const own = me?.user?.identity_id;
  const form = useForm<Typed>(
    of ? typedOf(of) : { from: null, to: null, starts: "", ends: "", kinds: [], ...unlimited, open: true, reason: "" },
    async (v, key) => {
      const body = {
        delegate_id: v.to?.id,
        ...(of ? {} : v.from ? { delegator_id: v.from.id } : {}),
        ...(v.starts ? { starts_at: instant(v.starts) } : {}),
        ends_at: v.ends ? instant(v.ends) : null,
        kinds: v.kinds,
        risk_levels: v.risks,
        ...(may.admin ? { system_ids: v.systems, condition: v.condition } : {}),
        include_open: v.open,
        reason: v.reason,
      };
      const path = "/decision-tasks/delegations";
      const made = of
        ? await ask<Delegation>("PATCH", `${path}/${of.id}`, { body, key, ifMatch: of.version })
        : await ask<Delegation>("POST", path, { body, key });
      await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/decision-tasks") });
      showToast(
        made.state === "active"
          ? text.delegateDisplayCanDecideFromNow(made.delegate_display)
          : text.delegateDisplayCanDecideFromThe(made.delegate_display),
      );
      close();
    },
  );
  const whose = of?.delegator_id ?? form.value.from?.id;
  return (
    <Dialog open close={close} title={of ? text.editDelegation : text.delegate} lead={text.bothSeeTheDecisionTasksDuring}>
      <Form of={form} verb={of ? text.save : text.delegate} cancel={close}>
        {may.admin && !of && (
          <Pick
            label={own ? text.delegatorEmptyYou : text.delegator}
            source={people}
            {...form.field("from")}
            required={!own}
            error={form.wrong("delegator_id")}
          />
        )}
        <Pick
          label={may.admin || of ? text.delegate : text.delegate}
          source={colleagues("/decision-tasks/delegations", { query: { delegator_id: whose } })}
          {...form.field("to")}
          required
          disabled={!whose && !own}
          hint={whose || own ? text.searchForAPersonWithASignIn : text.firstSelectTheDelegator}
          error={form.wrong("delegate_id")}
        />
        <div className="fields">
          <TextField type="datetime-local" label={text.from} hint={text.leaveEmptyToStartNow} {...form.field("starts", "starts_at")} />
          <TextField type="datetime-local" label={text.until} hint={text.leaveEmptyForNoEnd} {...form.field("ends", "ends_at")} />
        </div>
        <Check label={text.includeOpenDecisionTasks} hint={text.otherwiseTheDelegationCoversOnlyNew} {...form.field("open")} />
        <details>
          <summary className="small">
            {form.value.kinds.length === 0 ? text.allKindsOfTasks : text.kindOfTaskCount(form.value.kinds.length)}
          </summary>
          <Checks label={text.kindsOfTasksEmptyAll} {...form.field("kinds")} options={kindOptions} />
        </details>
        <details open={limited(of) || undefined}>
          <summary className="small">{text.limits}</summary>
          <p className="small muted">{text.tasksOutsideTheLimitsStay}</p>
          <Checks label={text.riskLevelsEmptyAll} {...form.field("risks")} options={risks} />
          {may.admin && <AdminLimits form={form} />}
        </details>
        <TextField label={text.reason} max={1000} {...form.field("reason")} />
      </Form>
    </Dialog>
  );
}

const unlimited = { systems: [], risks: [], condition: asGroup(null) as unknown };

const risks = [
  ["low", text.low],
  ["medium", text.medium],
  ["high", text.high],
  ["critical", text.critical],
] as const;

const limited = (d: Delegation | undefined) => Boolean(d && ((d.risk_levels ?? []).length > 0 || d.systems.length > 0 || d.condition));

/** The limits that need a list of all systems and the fields of all people. */
function AdminLimits({ form }: { form: ReturnType<typeof useForm<Typed>> }) {
  const systems = useSystems();
  return (
    <>
      <Checks label={text.systemsEmptyAll} {...form.field("systems")} options={[...systems]} />
      <ConditionField
        label={text.thePersonMeets}
        value={form.value.condition}
        set={(c) => form.set("condition", c)}
        wrong={form.wrong}
        at="condition"
      />
    </>
  );
}

const instant = (local: string) => new Date(local).toISOString();

/** A moment as a field for date and time has it, in the time of this browser. */
function local(at: string | null | undefined): string {
  if (!at) return "";
  const d = new Date(at);
  return new Date(d.getTime() - d.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const typedOf = (d: Delegation): Typed => ({
  from: { id: d.delegator_id, words: d.delegator_display },
  to: d.delegate_id ? { id: d.delegate_id, words: d.delegate_display } : null,
  starts: local(d.starts_at),
  ends: local(d.ends_at),
  kinds: d.kinds ?? [],
  systems: d.systems.map((s) => s.id),
  risks: (d.risk_levels ?? []) as RiskLevel[],
  condition: asGroup(d.condition),
  open: d.include_open ?? true,
  reason: d.reason ?? "",
});
