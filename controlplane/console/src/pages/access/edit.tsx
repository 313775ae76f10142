import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/access";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { DurationField } from "../../kit/durationfield";
import { EditConflict } from "../../kit/editconflict";
import { Check, SelectField, TextField, useForm, WordsField } from "../../kit/form";
import { Button, Problems } from "../../kit/kit";
import { access, Pick } from "../../kit/pick";
import { useSystems } from "../../kit/systems";
import { showToast } from "../../kit/toast";
import { ConditionField } from "../policies/condition";
import { asGroup } from "../policies/language";
import { changesOf } from "./words";

type Detail = Of<"EntitlementDetail">;

/** What a form of it holds. */
const valuesOf = (e: Detail) => ({
  business_description: e.business_description ?? "",
  permission_summary: e.permission_summary ?? [],
  risk_level: e.risk_level ?? "low",
  privileged: e.privileged ?? false,
  requestable: e.requestable ?? false,
  compliance_tags: e.compliance_tags ?? [],
  duty_tags: e.duty_tags ?? [],
  data_classes: e.data_classes ?? [],
  max_duration: e.max_duration ?? "",
  default_duration: e.default_duration ?? "",
  extension_max: e.extension_max ?? "",
  lifecycle: e.lifecycle ?? "active",
  replacement_id: e.replacement_id ?? "",
  visible_to: (e.visible_to ?? null) as unknown,
});
type Values = ReturnType<typeof valuesOf>;

/** Words, risk, limits and tags. Owners write what describes; what only administrators write is absent for them. */
export function Edit({ of, close }: { of: Detail; close: () => void }) {
  const queries = useQueryClient();
  const { admin } = useMay();
  const [base, setBase] = useState(of);
  const [settled, setSettled] = useState<unknown>(); // the refusal after which it was read again
  const form = useForm<Values>(valuesOf(of), async (v, key) => {
    const patch = changesOf(valuesOf(base), v);
    if (Object.keys(patch).length > 0) await ask("PATCH", `/entitlements/${of.id}`, { body: patch, key, ifMatch: base.version });
    showToast(text.saved);
    await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/entitlements") });
    close();
  });
  const again = async () => {
    const now = await ask<Detail>("GET", `/entitlements/${of.id}`);
    form.replace({ ...valuesOf(now), ...changesOf(valuesOf(base), form.value) });
    setBase(now);
    setSettled(form.refused);
  };
  const refused = form.refused === settled ? undefined : form.refused;
  return (
    <Dialog wide open close={close} title={text.editEntitlement} lead={admin ? undefined : text.asTheOwnerYouCanOnly}>
      <form className="stack" onSubmit={form.submit}>
        <TextField label={text.purpose} rows={3} max={2000} {...form.field("business_description")} hint={text.shownToRequesters} />
        <WordsField label={text.permissions} {...form.field("permission_summary")} hint={text.onePerLine} />
        <div className="fields">
          <SelectField
            label={text.risk}
            {...form.field("risk_level")}
            options={(["low", "medium", "high", "critical"] as const).map((r) => [r, r] as const)}
          />
          <DurationField label={text.maximumDuration} none={text.noLimit} {...form.field("max_duration")} />
          <DurationField label={text.defaultDuration} {...form.field("default_duration")} />
          <DurationField label={text.maximumExtension} {...form.field("extension_max")} />
        </div>
        <div className="fields">
          <WordsField label={text.complianceTags} {...form.field("compliance_tags")} hint={text.suchAsSoxOnePerLine} />
          <WordsField label={text.dutyTags} {...form.field("duty_tags")} hint={text.businessFunctionsForSeparationOfDuties} />
          <WordsField label={text.dataClasses} {...form.field("data_classes")} />
        </div>
        <Check label={text.requestable} {...form.field("requestable")} />
        {admin && <ForAdmins form={form} />}
        <Problems of={refused} />
        <EditConflict refused={refused} again={() => void again()} />
        <div className="row end">
          <Button onClick={close}>{text.cancel}</Button>
          <Button type="submit" tone="primary" disabled={form.busy || !form.dirty}>
            {form.busy ? text.saving : text.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function ForAdmins({ form }: { form: ReturnType<typeof useForm<Values>> }) {
  const v = form.value;
  const systems = useSystems();
  const instead = useGet<Detail>(`/entitlements/${v.replacement_id}`, {}, { enabled: v.replacement_id !== "" });
  return (
    <>
      <Check label={text.privileged} hint={text.grantsAdministrativePowerOverTheSystem} {...form.field("privileged")} />
      <div className="fields">
        <SelectField
          label={text.lifecycle}
          {...form.field("lifecycle")}
          options={[
            ["active", text.active],
            ["deprecated", text.deprecated],
            ["retired", text.retiredLower],
          ]}
        />
        <Pick
          label={text.replacement}
          source={access}
          value={v.replacement_id ? (instead.data ? access.as(instead.data, systems) : { id: v.replacement_id, words: "" }) : null}
          set={(p) => form.set("replacement_id", p?.id ?? "")}
          error={form.wrong("replacement_id")}
        />
      </div>
      <Check
        label={text.restrictWhoCanRequestIt}
        hint={text.onlyPeopleWhoMatchTheCondition}
        value={v.visible_to !== null}
        set={(on) => form.set("visible_to", on ? asGroup(null) : null)}
      />
      {v.visible_to !== null && (
        <ConditionField
          label={text.requestableBy}
          value={v.visible_to as never}
          set={(c: unknown) => form.set("visible_to", c)}
          wrong={form.wrong}
          at="visible_to"
        />
      )}
    </>
  );
}
