import { Plus } from "lucide-react";
import * as text from "#text/approvals";
import { DurationField } from "../../kit/durationfield";
import { Check, Checks, Form, type FormState, SelectField, TextField, WordsField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { ManyPick } from "../policies/manypick";
import { BranchEditor } from "./branch";
import { type Branch, type Draft, newStage } from "./model";
import { OtherRule } from "./resolvers";
import { Disclosure } from "./stage";

const levels = ["low", "medium", "high", "critical"] as const;
const kinds = [
  ["grant", text.newAccess],
  ["extend", text.extension],
  ["return", text.returnOfAccess],
  ["revoke", text.endOfAccess],
] as const;

/** The form of an approval rule: what it is for, and whom it asks, drawn while one writes it. */
export function RuleEditor({ of, verb, cancel, id }: { of: FormState<Draft>; verb: string; cancel?: () => void; id?: string }) {
  const { value: v, set, wrong } = of;
  const branch = (i: number, b: Branch | undefined) =>
    set(
      "branches",
      v.branches.flatMap((x, j) => (j !== i ? [x] : b ? [b] : [])),
    );
  const before = () => {
    const fresh: Branch = {
      when: { match: "all", rules: [{ field: "item.risk_level", op: "in", value: ["high", "critical"] }] },
      outcome: { kind: "chain", stages: [newStage(), newStage(text.owner, "resource_owner")] },
    };
    set("branches", [...v.branches.slice(0, -1), fresh, ...v.branches.slice(-1)]);
  };
  return (
    <div className="rule-editor">
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
        <Scope of={of} />
        <section className="stack" aria-label={text.approvalSteps}>
          <h2>{text.approvalSteps}</h2>
          {v.branches.length > 1 && <p className="small muted">{text.theFirstBranchWhoseConditionMatches}</p>}
          {wrong("branches") && <small className="bad">{wrong("branches")}</small>}
          {v.branches.map((b, i) => (
            <BranchEditor
              // biome-ignore lint/suspicious/noArrayIndexKey: branches have no other name than their place
              key={i}
              of={b}
              set={(x) => branch(i, x)}
              drop={v.branches.length > 1 ? () => branch(i, undefined) : undefined}
              n={i + 1}
              last={i === v.branches.length - 1}
              wrong={wrong}
              at={`branches/${i}`}
              rule={id}
            />
          ))}
          <div>
            <Button onClick={before}>
              <Plus aria-hidden size={14} /> {text.addCondition}
            </Button>
          </div>
        </section>
        <Terms of={of} id={id} />
      </Form>
    </div>
  );
}

function Scope({ of }: { of: FormState<Draft> }) {
  const { value: v, set, wrong } = of;
  const a = v.applies_to;
  const put = (change: Partial<Draft["applies_to"]>) => set("applies_to", { ...a, ...change });
  const at = (m: string) => wrong(`applies_to/${m}`) ?? wrong(`applies_to/${m}/0`);
  return (
    <section className="stack" aria-label={text.scope}>
      <h2>{text.scope}</h2>
      <p className="small muted">{text.theMostSpecificRuleAppliesItem}</p>
      <Check
        label={text.defaultRuleForEverythingWithoutIts}
        value={a.default ?? false}
        set={(on) =>
          put(on ? { default: true, role_ids: [], entitlement_ids: [], connector_ids: [], tags: [], risk_levels: [] } : { default: false })
        }
      />
      {wrong("applies_to/default") && <small className="bad">{wrong("applies_to/default")}</small>}
      {!a.default && (
        <>
          <ManyPick label={text.roles} kind="roles" ids={a.role_ids} set={(role_ids) => put({ role_ids })} error={at("role_ids")} />
          <ManyPick
            label={text.entitlements}
            kind="access"
            ids={a.entitlement_ids}
            set={(entitlement_ids) => put({ entitlement_ids })}
            error={at("entitlement_ids")}
          />
          <ManyPick
            label={text.systems}
            kind="systems"
            ids={a.connector_ids}
            set={(connector_ids) => put({ connector_ids })}
            hint={text.includesAllEntitlementsOfTheSystems}
            error={at("connector_ids")}
          />
          <WordsField
            label={text.tags}
            hint={text.onePerLineSuchAsSox}
            value={a.tags}
            set={(tags) => put({ tags })}
            rows={2}
            error={at("tags")}
          />
          <Checks
            label={text.risk}
            value={a.risk_levels}
            set={(risk_levels) => put({ risk_levels })}
            options={levels.map((l) => [l, l] as const)}
          />
        </>
      )}
      <Checks
        label={text.kindsOfRequestsEmptyAll}
        value={a.request_kinds}
        set={(request_kinds) => put({ request_kinds })}
        options={kinds}
      />
      <TextField
        label={text.order}
        type="number"
        hint={text.ifTwoRulesAreEquallySpecific}
        value={String(v.priority)}
        set={(t) => set("priority", Number(t) || 0)}
        error={wrong("priority")}
      />
    </section>
  );
}

function Terms({ of, id }: { of: FormState<Draft>; id?: string | undefined }) {
  const { value: v, set, wrong } = of;
  const g = v.grant;
  const e = v.emergency;
  const grant = (change: Draft["grant"]) => set("grant", { ...g, ...change });
  const emergency = (change: Draft["emergency"]) => set("emergency", { ...e, ...change });
  return (
    <>
      <section className="stack" aria-label={text.requestFields}>
        <h2>{text.requestFields}</h2>
        <Check label={text.requireAReason} value={v.require_justification} set={(on) => set("require_justification", on)} />
        <Check label={text.requireATicketNumber} value={v.require_external_reference} set={(on) => set("require_external_reference", on)} />
        <DurationField
          label={text.expiresWithoutADecisionAfter}
          value={v.request_ttl}
          set={(t) => set("request_ttl", t)}
          error={wrong("request_ttl")}
          required
        />
      </section>
      <Disclosure title={text.durationAndExtensions} open={Boolean(g.max_duration || g.default_duration || wrong("grant/max_duration"))}>
        <div className="fields">
          <DurationField
            label={text.maximumDuration}
            value={g.max_duration ?? ""}
            set={(max_duration) => grant({ max_duration })}
            none={text.noLimit}
            error={wrong("grant/max_duration")}
          />
          <DurationField
            label={text.defaultDuration}
            value={g.default_duration ?? ""}
            set={(default_duration) => grant({ default_duration })}
            none={text.theMaximumDuration}
            error={wrong("grant/default_duration")}
          />
        </div>
        {!g.max_duration && (
          <Check
            label={text.allowAccessWithoutAnEndDate}
            value={g.allow_permanent ?? true}
            set={(allow_permanent) => grant({ allow_permanent })}
          />
        )}
        {wrong("grant/allow_permanent") && <small className="bad">{wrong("grant/allow_permanent")}</small>}
        <Check
          label={text.allowExtensions}
          value={g.extension?.allowed ?? true}
          set={(allowed) => grant({ extension: { ...g.extension, allowed, ...(allowed ? {} : { max: "" }) } })}
        />
        {(g.extension?.allowed ?? true) && (
          <>
            <Check
              label={text.extensionsRequireApproval}
              value={g.extension?.needs_approval ?? true}
              set={(needs_approval) => grant({ extension: { ...g.extension, needs_approval } })}
            />
            <DurationField
              label={text.maximumPerExtension}
              value={g.extension?.max ?? ""}
              set={(max) => grant({ extension: { ...g.extension, max } })}
              none={text.upToTheMaximumDuration}
              error={wrong("grant/extension/max")}
            />
          </>
        )}
      </Disclosure>
      <Disclosure title={text.emergencyAccess} open={Boolean(e.allowed)}>
        <Check
          label={text.allowEmergencyAccessWithALater}
          hint={text.accessIsGrantedAtOnceWithout}
          value={e.allowed ?? false}
          set={(allowed) =>
            emergency({
              allowed,
              ...(allowed ? { max_duration: e.max_duration || "PT8H", post_review_within: e.post_review_within || "P1D" } : {}),
            })
          }
        />
        {e.allowed && (
          <div className="fields">
            <DurationField
              label={text.maximumDuration}
              value={e.max_duration ?? ""}
              set={(max_duration) => emergency({ max_duration })}
              error={wrong("emergency/max_duration")}
              required
            />
            <DurationField
              label={text.reviewWithin}
              value={e.post_review_within ?? ""}
              set={(post_review_within) => emergency({ post_review_within })}
              error={wrong("emergency/post_review_within")}
              required
            />
            <OtherRule
              label={text.branches}
              of={e.rule_id ?? ""}
              set={(rule_id) => emergency({ rule_id })}
              error={wrong("emergency/rule_id")}
              not={id}
            />
          </div>
        )}
      </Disclosure>
      <Disclosure title={text.separationOfApprovers} open={v.allow_self_approval || !v.distinct_approvers}>
        <Check
          label={text.allowTheRequesterAndTheRecipient}
          hint={text.offRequestersAndRecipientsCannotApprove}
          value={v.allow_self_approval}
          set={(on) => set("allow_self_approval", on)}
        />
        <SelectField
          label={text.approversOfAnEarlierStep}
          value={v.distinct_approvers ? "distinct" : "same"}
          set={(x) => set("distinct_approvers", x === "distinct")}
          options={[
            ["distinct", text.cannotApproveALaterStep],
            ["same", text.canApproveLaterSteps],
          ]}
        />
      </Disclosure>
    </>
  );
}
