import { useState } from "react";
import * as text from "#text/policies";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { DurationField } from "../../kit/durationfield";
import { Check, Checks, Form, type FormState, SelectField, TextField } from "../../kit/form";
import { Button, Part, Problems, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Impact } from "../roles/impact";
import { ConditionField } from "./condition";
import { matchAll } from "./language";
import { ConstraintFields, ScheduleFields } from "./limits";
import { ManyPick } from "./manypick";
import { Departments } from "./simulate";
import { type Constraints, constraintsBody, constraintsOf, type Schedule, scheduleBody, scheduleOf } from "./terms";
import { type LifecycleState, lifecycleStates } from "./words";

/** What of a policy can be written. */
export type Draft = {
  name: string;
  description: string;
  effect: "assign" | "deny" | "eligible" | "require";
  birthright: boolean;
  priority: number;
  owner_ids: string[];
  subject: unknown;
  resources: { role_ids: string[]; entitlement_ids: string[]; connector_ids: string[] };
  /** Tags of entitlements, with commas between them. */
  tags: string;
  companion: { role_ids: string[]; entitlement_ids: string[] };
  when: LifecycleState[];
  lead: string;
  ends: "end_now" | "grace" | "review";
  grace: string;
  breaker: string;
  window: string;
  constraints: Constraints;
  schedule: Schedule;
};

/** A policy as it is written, from one as it is kept. */
export const draftOf = (p?: Of<"PolicyFields">): Draft => ({
  name: p?.name ?? "",
  description: p?.description ?? "",
  effect: p?.effect ?? "assign",
  birthright: p?.birthright ?? true,
  priority: p?.priority ?? 100,
  owner_ids: p?.owner_ids ?? [],
  subject: p?.subject ?? matchAll,
  resources: {
    role_ids: p?.resources?.role_ids ?? [],
    entitlement_ids: p?.resources?.entitlement_ids ?? [],
    connector_ids: p?.resources?.connector_ids ?? [],
  },
  tags: (p?.resources?.tags ?? []).join(", "),
  companion: { role_ids: p?.companion?.role_ids ?? [], entitlement_ids: p?.companion?.entitlement_ids ?? [] },
  when: (p?.lifecycle?.when as LifecycleState[] | undefined) ?? lifecycleStates.map(([l]) => l),
  lead: p?.lifecycle?.lead_time ?? "",
  ends: p?.lifecycle?.on_no_match ?? "grace",
  grace: p?.lifecycle?.grace ?? "",
  breaker: p?.circuit_breaker ? String(p.circuit_breaker.max_changes) : "",
  window: p?.circuit_breaker?.window ?? "PT1H",
  constraints: constraintsOf(p?.constraints),
  schedule: scheduleOf(p?.schedule),
});

/** Whether a policy gives or denies access. */
const changesAccess = (d: Draft) => d.effect === "assign" || d.effect === "deny";

/** A written policy as the API takes it. */
export const bodyOf = (d: Draft) => ({
  name: d.name,
  description: d.description,
  effect: d.effect,
  birthright: d.effect === "assign" && d.birthright,
  priority: d.priority,
  owner_ids: d.owner_ids,
  subject: d.subject,
  resources: {
    ...d.resources,
    tags: d.tags
      .split(",")
      .map((t) => t.trim())
      .filter(Boolean),
  },
  companion: d.effect === "require" && d.companion.role_ids.length + d.companion.entitlement_ids.length > 0 ? d.companion : null,
  constraints: constraintsBody(d.constraints, d.effect),
  schedule: scheduleBody(d.schedule),
  lifecycle: {
    when: d.when,
    lead_time: d.effect === "assign" && d.lead ? d.lead : null,
    on_no_match: d.ends === "review" && d.effect !== "assign" ? ("grace" as const) : d.ends,
    grace: d.ends === "grace" && d.grace ? d.grace : null,
  },
  circuit_breaker: d.breaker && changesAccess(d) ? { max_changes: Number(d.breaker), window: d.window } : null,
});

const accessTitle = {
  assign: text.accessToGrant,
  deny: text.accessToDeny,
  eligible: text.accessToRequest,
  require: text.accessThatBringsTheRequirement,
};

const systemHint = {
  assign: text.onlyAnAccountInThisSystem,
  deny: text.allAccessInThisSystem,
  eligible: text.allAccessInThisSystem,
  require: text.anAccountInThisSystemBrings,
};

/** The form of a policy. What it would do on today's people can be seen before it is saved. */
export function PolicyEditor({
  of,
  verb,
  cancel,
  mode,
}: {
  of: FormState<Draft>;
  verb: string;
  cancel?: () => void;
  mode: "shadow" | "enforce";
}) {
  const { value: v, set, wrong } = of;
  const give = (name: keyof Draft["resources"]) => (ids: string[]) => set("resources", { ...v.resources, [name]: ids });
  const at = (member: string) => wrong(member) ?? wrong(`${member}/0`);
  return (
    <div className="policy-editor">
      <Form of={of} verb={verb} {...(cancel ? { cancel } : {})}>
        <TextField label={text.name} value={v.name} set={(t) => set("name", t)} error={wrong("name")} required max={200} />
        <TextField
          label={text.description}
          rows={2}
          value={v.description}
          set={(t) => set("description", t)}
          error={wrong("description")}
          max={2000}
        />
        <SelectField
          label={text.effect}
          value={v.effect}
          set={(e) => set("effect", e)}
          options={[
            ["assign", text.grantAccess],
            ["deny", text.denyAccessOverridingAllGrants],
            ["eligible", text.letPeopleRequestAccess],
            ["require", text.requireAccessOrTraining],
          ]}
        />
        <ConditionField label={text.appliesTo} value={v.subject} set={(c) => set("subject", c)} wrong={wrong} at="subject" />
        <fieldset className="stack tight closed">
          <legend className="field-label">{accessTitle[v.effect]}</legend>
          {v.effect === "require" && <p className="small muted">{text.ifEmptyEveryoneWhoMeetsThe}</p>}
          <ManyPick label={text.roles} kind="roles" ids={v.resources.role_ids} set={give("role_ids")} error={at("resources/role_ids")} />
          <ManyPick
            label={text.entitlements}
            kind="access"
            ids={v.resources.entitlement_ids}
            set={give("entitlement_ids")}
            error={at("resources/entitlement_ids")}
          />
          <ManyPick
            label={text.systems}
            kind="systems"
            ids={v.resources.connector_ids}
            set={give("connector_ids")}
            hint={systemHint[v.effect]}
            error={at("resources/connector_ids") ?? wrong("resources")}
          />
          <TextField
            label={text.tags}
            hint={text.tagsSeparatedByCommas}
            value={v.tags}
            set={(t) => set("tags", t)}
            error={at("resources/tags")}
            max={2000}
          />
        </fieldset>
        {v.effect === "require" && (
          <CompanionFields value={v.companion} set={(c) => set("companion", c)} at={at} none={wrong("companion")} />
        )}
        {v.effect === "assign" && (
          <>
            <Check
              label={text.birthright}
              hint={text.baselineAccessThatIsEvaluatedAs}
              value={v.birthright}
              set={(on) => set("birthright", on)}
            />
            <Checks label={text.applies} value={v.when} set={(w) => set("when", w)} options={lifecycleStates} />
            <DurationField
              label={text.leadTimeBeforeTheFirstDay}
              value={v.lead}
              set={(t) => set("lead", t)}
              error={wrong("lifecycle/lead_time")}
              none={text.tenantsLifecycleSetting}
            />
            <SelectField
              label={text.ifAPersonNoLongerMatches}
              value={v.ends}
              set={(e) => set("ends", e)}
              options={[
                ["grace", text.keepAccessForAGracePeriod],
                ["end_now", text.endAccessAtOnce],
                ["review", text.keepAccessUntilItIsReviewed],
              ]}
            />
            {v.ends === "grace" && (
              <DurationField
                label={text.gracePeriod}
                value={v.grace}
                set={(t) => set("grace", t)}
                error={wrong("lifecycle/grace")}
                none={text.tenantsLifecycleSettingForMoves}
              />
            )}
          </>
        )}
        {(v.effect === "eligible" || v.effect === "require") && (
          <Checks label={text.applies} value={v.when} set={(w) => set("when", w)} options={lifecycleStates} />
        )}
        {v.effect !== "deny" && (
          <ConstraintFields value={v.constraints} set={(c) => set("constraints", c)} wrong={wrong} requests={v.effect === "eligible"} />
        )}
        <ScheduleFields value={v.schedule} set={(s) => set("schedule", s)} wrong={wrong} />
        {changesAccess(v) && (
          <div className="fields">
            <TextField
              label={text.circuitBreakerMaximumChanges}
              type="number"
              value={v.breaker}
              set={(t) => set("breaker", t)}
              hint={text.leaveEmptyForNoLimit}
              error={wrong("circuit_breaker/max_changes") ?? wrong("circuit_breaker")}
            />
            {v.breaker && (
              <DurationField
                label={text.window}
                value={v.window}
                set={(t) => set("window", t)}
                required
                error={wrong("circuit_breaker/window")}
              />
            )}
          </div>
        )}
        <ManyPick
          label={text.ownersOfThePolicy}
          kind="people"
          ids={v.owner_ids}
          set={(ids) => set("owner_ids", ids)}
          error={at("owner_ids")}
        />
        <TextField
          label={text.order}
          type="number"
          hint={text.sortsTheListOnlyAllMatching}
          value={String(v.priority)}
          set={(t) => set("priority", Number(t) || 0)}
          error={wrong("priority")}
        />
      </Form>
      <Before draft={v} mode={mode} />
    </div>
  );
}

/** What people must have. */
function CompanionFields({
  value: c,
  set,
  at,
  none,
}: {
  value: Draft["companion"];
  set: (c: Draft["companion"]) => void;
  at: (member: string) => string | undefined;
  none: string | undefined;
}) {
  return (
    <fieldset className="stack tight closed">
      <legend className="field-label">{text.requiredAccess}</legend>
      <ManyPick
        label={text.requiredRoles}
        kind="roles"
        ids={c.role_ids}
        set={(ids) => set({ ...c, role_ids: ids })}
        error={at("companion/role_ids")}
      />
      <ManyPick
        label={text.requiredEntitlements}
        kind="access"
        ids={c.entitlement_ids}
        set={(ids) => set({ ...c, entitlement_ids: ids })}
        error={at("companion/entitlement_ids") ?? none}
      />
    </fieldset>
  );
}

/** What a policy that is being written would do, on today's people. */
function Before({ draft, mode }: { draft: Draft; mode: "shadow" | "enforce" }) {
  const [state, setState] = useState<{ impact?: Of<"PolicyImpact">; error?: unknown; busy?: boolean; of?: string }>({});
  const now = JSON.stringify(bodyOf(draft));
  const look = async () => {
    setState({ busy: true });
    try {
      const impact = await ask<Of<"PolicyImpact">>("POST", "/policies/access-grant/simulate", {
        body: { ...bodyOf(draft), mode: "enforce" },
      });
      setState({ impact, of: now });
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <Part
      title={text.preview}
      lead={mode === "shadow" ? text.effectOfTheActivePolicyOn : text.effectOnTheCurrentPeopleIf}
      actions={
        <Button reads disabled={state.busy} onClick={() => void look()}>
          {text.preview}
        </Button>
      }
    >
      {state.busy && <Skeleton rows={3} />}
      <Problems of={state.error} />
      {state.impact && (
        <div className="stack tight">
          {state.of !== now && <p className="small muted">{text.thePolicyWasChangedPreviewIt}</p>}
          <Impact of={state.impact} />
          <Departments of={state.impact} />
        </div>
      )}
      {!state.impact && !state.busy && !state.error && (
        <p className="small muted">
          {text.aNewPolicyIsADry(
            <Link className="link" to="/help/$page" params={{ page: "policies" }}>
              {text.howPoliciesWork}
            </Link>,
          )}
        </p>
      )}
    </Part>
  );
}
