import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { durationText } from "../../kit/duration";
import { DurationField } from "../../kit/durationfield";
import { Check, SelectField } from "../../kit/form";
import { Button, Note, Part, Problems, Text } from "../../kit/kit";
import { access, Pick, type Picked, people, roles } from "../../kit/pick";
import { ApprovalPath, type Station } from "./path";

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
        justification: "a sample",
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
    <Part title="Test with a sample request" lead="Uses the same evaluation as a real request. No approver is asked, and nothing is saved.">
      <form
        className="card padded stack"
        data-reads=""
        onSubmit={(e) => {
          e.preventDefault();
          void go();
        }}
      >
        <div className="fields">
          <Pick label="Person" source={people} value={whom} set={setWhom} required />
          <SelectField
            label="Item"
            value={kind}
            set={(k) => {
              setKind(k);
              setThing(null);
            }}
            options={[
              ["entitlement", "an entitlement"],
              ["role", "a role"],
            ]}
          />
          <Pick label="Item name" source={(kind === "role" ? roles : access) as typeof people} value={thing} set={setThing} required />
          <SelectField
            label="Kind of request"
            value={asks}
            set={setAsks}
            options={[
              ["grant", "new access"],
              ["extend", "extension"],
              ["return", "return of access"],
              ["revoke", "end of access"],
            ]}
          />
          <DurationField reads label="Duration" value={span} set={setSpan} none="default, or without an end date" />
        </div>
        <Check reads label="Emergency request" value={emergency} set={setEmergency} />
        <div className="row">
          <Button reads type="submit" disabled={!whom || !thing || told.busy}>
            Test
          </Button>
          {body && <span className="small muted">Uses the settings above, including unsaved changes.</span>}
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

/** The stages of a plan as a path. */
export const planStations = (plan: Of<"Plan">): Station[] =>
  (plan.stages ?? []).map((s) => ({
    name: s.definition.name,
    due: s.due_at ?? null,
    note: s.satisfied ?? (s.blocked ? "No approver can be found." : undefined),
    groups: s.groups.map((g) => ({
      needed: g.needed,
      seats: g.slots.map((x) => ({ words: x.display, via: x.via, because: x.because, for: x.acting_for })),
    })),
  }));

function Outcome({ of }: { of: Of<"ApprovalSimulated"> }) {
  const { plan } = of;
  const limits = [
    plan.terms.max_duration ? `at most ${durationText(plan.terms.max_duration)}` : "",
    plan.terms.default_duration ? `usually ${durationText(plan.terms.default_duration)}` : "",
    plan.terms.allow_permanent ? "" : "an end date is required",
    plan.require_justification ? "a reason is required" : "",
    plan.require_external_reference ? "a ticket is required" : "",
    plan.emergency.allowed ? `emergency access at once, for at most ${durationText(plan.emergency.max_duration)}` : "",
  ].filter(Boolean);
  return (
    <div className="stack tight">
      <p className="small">
        <strong>
          <Text of={plan.rule.name} />
        </strong>
        : {plan.rule.matched_because}
        {of.instead_of && of.instead_of.name !== plan.rule.name && (
          <>
            {" "}
            Replaces the rule <Text of={of.instead_of.name} />.
          </>
        )}
      </p>
      {plan.blocked && (
        <Note tone="bad">No approver can be found. The request would be blocked, and administrators would be notified.</Note>
      )}
      {plan.outcome === "auto_approve" && <Note tone="ok">Approved without approval steps. {plan.reason}</Note>}
      {plan.outcome === "auto_reject" && <Note tone="bad">Rejected. {plan.reason}</Note>}
      {plan.outcome === "chain" && (
        <ApprovalPath of={planStations(plan)} label={`Approvers for ${of.display}`} end={<strong>Access</strong>} />
      )}
      {limits.length > 0 && <p className="small muted">{limits.join("; ")}.</p>}
      <details className="small">
        <summary>How approvers were found</summary>
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
