import { useState } from "react";
import * as text from "#text/approvals";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { durationText } from "../../kit/duration";
import { DurationField } from "../../kit/durationfield";
import { Check, SelectField } from "../../kit/form";
import { Button, Note, Part, Problems, Text } from "../../kit/kit";
import { access, Pick, type Picked, people, roles } from "../../kit/pick";
import { ApprovalPath, type ApprovalStep } from "./path";

type Simulation = Of<"ApprovalSimulation">;

/** Tries a rule out with a request that nobody sends. body is the draft, nothing for the rules as they are; id the rule that it stands for. */
export function TryOut({ body, id }: { body?: (() => object) | undefined; id?: string | undefined }) {
  const [whom, setWhom] = useState<Picked | null>(null);
  const [kind, setKind] = useState<"role" | "entitlement">("entitlement");
  const [thing, setThing] = useState<Picked | null>(null);
  const [span, setSpan] = useState("");
  const [emergency, setEmergency] = useState(false);
  const [asks, setAsks] = useState<"grant" | "extend" | "return" | "revoke">("grant");
  const [told, setTold] = useState<{ of?: Simulation; error?: unknown; busy?: boolean }>({});
  const go = async () => {
    setTold({ busy: true });
    try {
      const request = {
        requested_for_identity_id: whom?.id,
        requested_resources: [{ [`${kind}_id`]: thing?.id, ...(span ? { duration: span } : {}) }],
        urgency: emergency ? "emergency" : "normal",
        kind: asks,
        justification: text.aSample,
      };
      const of = await ask<Simulation>("POST", "/approval-rules/simulate", {
        body: { request, ...(body ? { rule: body() } : {}), ...(id ? { rule_id: id } : {}) },
      });
      setTold({ of });
    } catch (error) {
      setTold({ error });
    }
  };
  return (
    <Part title={text.testWithASampleRequest} lead={text.usesTheSameEvaluationAsA}>
      <form
        className="card padded stack"
        data-reads=""
        onSubmit={(e) => {
          e.preventDefault();
          void go();
        }}
      >
        <div className="fields">
          <Pick label={text.person} source={people} value={whom} set={setWhom} required />
          <SelectField
            label={text.item}
            value={kind}
            set={(k) => {
              setKind(k);
              setThing(null);
            }}
            options={[
              ["entitlement", text.anEntitlement],
              ["role", text.aRole],
            ]}
          />
          <Pick label={text.itemName} source={(kind === "role" ? roles : access) as typeof people} value={thing} set={setThing} required />
          <SelectField
            label={text.kindOfRequest}
            value={asks}
            set={setAsks}
            options={[
              ["grant", text.newAccess],
              ["extend", text.extension],
              ["return", text.returnOfAccess],
              ["revoke", text.endOfAccess],
            ]}
          />
          <DurationField reads label={text.duration} value={span} set={setSpan} none={text.defaultOrWithoutAnEndDate} />
        </div>
        <Check reads label={text.emergencyRequest} value={emergency} set={setEmergency} />
        <div className="row">
          <Button reads type="submit" disabled={!whom || !thing || told.busy}>
            {text.test}
          </Button>
          {body && <span className="small muted">{text.usesTheSettingsAboveIncludingUnsaved}</span>}
        </div>
        <div aria-live="polite" className="stack tight">
          <Problems of={told.error} />
          {told.of?.warnings.map((w) => (
            <Note key={w.pointer + w.code} tone="warn">
              {w.detail}
            </Note>
          ))}
          {told.of?.items.map((i) => (
            <Outcome key={i.display} of={i} />
          ))}
        </div>
      </form>
    </Part>
  );
}

/** The steps of a planned approval. */
export const stepsOfPlan = (plan: Of<"Plan">): ApprovalStep[] =>
  (plan.stages ?? []).map((s) => ({
    name: s.definition.name,
    due: s.due_at ?? null,
    note: s.satisfied ?? (s.blocked ? text.noApproverCanBeFound : undefined),
    groups: s.groups.map((g) => ({
      needed: g.needed,
      approvers: g.slots.map((x) => ({ words: x.display, via: x.via, because: x.because, for: x.acting_for })),
      unavailable: g.unavailable ?? [],
    })),
  }));

function Outcome({ of }: { of: Of<"ApprovalSimulated"> }) {
  const { plan } = of;
  const limits = [
    plan.terms.max_duration ? text.atMostMaxDuration(durationText(plan.terms.max_duration)) : "",
    plan.terms.default_duration ? text.usuallyDefaultDuration(durationText(plan.terms.default_duration)) : "",
    plan.terms.allow_permanent ? "" : text.anEndDateIsRequired,
    plan.require_justification ? text.aReasonIsRequired : "",
    plan.require_external_reference ? text.aTicketIsRequired : "",
    plan.emergency.allowed ? text.emergencyAccessAtOnceForAt(durationText(plan.emergency.max_duration)) : "",
  ].filter(Boolean);
  return (
    <div className="stack tight">
      <p className="small">
        <strong>
          <Text of={plan.rule.name} />
        </strong>
        : {plan.rule.matched_because}
        {of.instead_of && of.instead_of.name !== plan.rule.name && <> {text.replacesTheRuleName(<Text of={of.instead_of.name} />)}</>}
      </p>
      {plan.blocked && <Note tone="bad">{text.noApproverCanBeFoundThe}</Note>}
      {plan.outcome === "auto_approve" && <Note tone="ok">{text.approvedWithoutApprovalStepsReason(plan.reason)}</Note>}
      {plan.outcome === "auto_reject" && <Note tone="bad">{text.rejectedReason(plan.reason)}</Note>}
      {plan.outcome === "chain" && (
        <ApprovalPath of={stepsOfPlan(plan)} label={text.approversForOfValue(of.display)} end={<strong>{text.access}</strong>} />
      )}
      {limits.length > 0 && <p className="small muted">{limits.join("; ")}.</p>}
      <details className="small">
        <summary>{text.howApproversWereFound}</summary>
        <ol className="stack tight">
          {plan.resolution_log.map((l, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a log
            <li key={n} className="muted" dir="auto">
              {l.detail}
            </li>
          ))}
        </ol>
      </details>
    </div>
  );
}
