import { useQueryClient } from "@tanstack/react-query";
import * as text from "#text/connectors";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { DurationField } from "../../kit/durationfield";
import { Check, Form, SelectField, TextField, useForm } from "../../kit/form";
import { Failure, Note, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import { showToast } from "../../kit/toast";
import { deprovision, settingOverrides } from "./overrides";
import { Stale } from "./stale";
import { Template } from "./template";

type View = Of<"ProvisioningView">;

const modes = [
  ["off", text.offReadOnly],
  ["simulate", text.simulateChangesArePlannedNotSent],
  ["manual", text.manualAPersonMakesEachChange],
  ["auto", text.onChangesAreSent],
] as const;
const natives = [
  ["tolerate", text.ignore],
  ["review", text.listForReview],
  ["revoke", text.revoke],
] as const;
const directions = [
  ["report", text.list],
  ["push", text.writeTemplateValues],
  ["accept", text.acceptTheSystemsValues],
] as const;

/** Whether and how changes are written to the system. */
export default function Writing({ of: c }: { of: Connector }) {
  const found = useGet<View>(`/connectors/${c.id}/provisioning`);
  if (found.isPending) return <Skeleton rows={6} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  return (
    <>
      <Limits view={found.data} />
      <Fields of={c} view={found.data} />
      <Template of={c} view={found.data} />
    </>
  );
}

/** What keeps changes from being written: the switch of the tenant, and what the connector cannot do. */
function Limits({ view }: { view: View }) {
  const may = useMay();
  const tenant = useGet<Of<"Switch">>("/settings/provisioning", {}, { enabled: may.oversees });
  return (
    <>
      {tenant.data && !tenant.data.writes && (
        <Note tone="warn">
          {tenant.data.reason
            ? text.writingIsOffForThisTenant(tenant.data.reason, <Link to="/provisioning">{text.openProvisioning}</Link>)
            : text.writingIsOffForThisTenantText(<Link to="/provisioning">{text.openProvisioning}</Link>)}
        </Note>
      )}
      {view.can.operations.length === 0 ? (
        <Note>{text.thisConnectorCannotWriteWhy(view.can.why ?? text.theTargetDoesNotSupportIt)}</Note>
      ) : (
        <p className="muted">{text.supportedOperationsOperations(view.can.operations.map((o) => o.replaceAll("_", " ")).join(", "))}</p>
      )}
    </>
  );
}

function Fields({ of: c, view }: { of: Connector; view: View }) {
  const may = useMay();
  const queries = useQueryClient();
  const form = useForm(valuesOf(view), async (v, key) => {
    await ask("PUT", `/connectors/${c.id}/provisioning`, { key, body: bodyOf(v, view), ifMatch: c.version });
    await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith(`/connectors/${c.id}`) });
    showToast(text.savedAffectedPeopleAreEvaluatedAgain);
  });
  return (
    <Form of={form} verb={text.save} closed={!may.admin}>
      <div className="fields">
        <SelectField label={text.writeMode} {...form.field("mode", "write_mode")} options={modes} />
        <SelectField label={text.nativeChanges} {...form.field("native", "native_grant_policy")} options={natives} />
        <SelectField label={text.drift} {...form.field("direction", "drift/direction")} options={directions} />
      </div>
      <Check label={text.compareAccountsWithTheirTemplateAfter} {...form.field("check")} />
      <h2>{text.leavers}</h2>
      <p className="muted small">{text.accountsOfLeaversAreDisabledFirst}</p>
      <Check label={text.keepMembershipsOfDisabledAccounts} {...form.field("keep")} />
      <DurationField
        label={text.deleteDisabledAccountsAfter}
        {...form.field("deleteAfter", "deprovision/delete_after")}
        none={text.tenantsLifecycleSetting}
      />
      <h2>{text.circuitBreaker}</h2>
      <div className="fields">
        <TextField label={text.openAfterConsecutiveFailures} type="number" {...form.field("failures", "breaker/max_failures")} />
        <TextField
          label={text.orAfterChangesOfOneKind}
          type="number"
          {...form.field("changes", "breaker/max_changes")}
          hint={text.countsChangesThatRemoveOrAlter}
        />
        <DurationField label={text.within} {...form.field("window", "breaker/window")} units={["hour", "day"]} />
      </div>
      <Stale of={form.refused} path={`/connectors/${c.id}`} />
    </Form>
  );
}

const valuesOf = (v: View) => ({
  mode: v.write_mode,
  native: v.native_grant_policy,
  direction: v.drift.direction ?? ("report" as const),
  check: v.drift.check !== "never",
  keep: v.deprovision.keep_groups,
  deleteAfter: v.deprovision.delete_after ?? "",
  failures: String(v.breaker.max_failures ?? ""),
  changes: String(v.breaker.max_changes ?? ""),
  window: v.breaker.window ?? "",
});

type Values = ReturnType<typeof valuesOf>;

/** What was set before, with what differs now. */
function bodyOf(v: Values, view: View) {
  const was = valuesOf(view);
  const differs = (...names: (keyof Values)[]) => names.some((n) => v[n] !== was[n]);
  const drift: View["drift"] = { ...view.drift, check: v.check ? "on_sync" : "never", direction: v.direction };
  return {
    ...settingOverrides(view),
    write_mode: v.mode,
    ...(differs("native") ? { native_grant_policy: v.native } : {}),
    ...(differs("direction", "check") ? { drift } : {}),
    ...(differs("keep", "deleteAfter") ? { deprovision: deprovision(v.keep, v.deleteAfter) } : {}),
    ...(differs("failures", "changes", "window")
      ? { breaker: { max_failures: Number(v.failures), max_changes: Number(v.changes), window: v.window } }
      : {}),
  };
}
