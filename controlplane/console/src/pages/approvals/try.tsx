import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { Check, SelectField } from "../../kit/form";
import { Button, Note, Part, Text, Wrongs } from "../../kit/kit";
import { access, people, Pick, type Picked, roles } from "../../kit/pick";
import { spanWords } from "../../kit/span";
import { SpanField } from "../../kit/spanfield";
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
    <Part title="Test it with a sample request" lead="Found by the very way that a request takes. Nobody is asked, and nothing is written.">
      <form
        className="card padded stack"
        data-reads=""
        onSubmit={(e) => {
          e.preventDefault();
          void go();
        }}
      >
        <div className="fields">
          <Pick label="For whom" source={people} value={whom} set={setWhom} required />
          <SelectField
            label="What is asked for"
            value={kind}
            set={(k) => {
              setKind(k);
              setThing(null);
            }}
            options={[
              ["entitlement", "a single right"],
              ["role", "a role"],
            ]}
          />
          <Pick label="Which" source={(kind === "role" ? roles : access) as typeof people} value={thing} set={setThing} required />
          <SelectField
            label="Kind of request"
            value={asks}
            set={setAsks}
            options={[
              ["grant", "asking for access"],
              ["extend", "asking for more time"],
              ["return", "giving it back"],
              ["revoke", "having it ended"],
            ]}
          />
          <SpanField reads label="For how long" value={span} set={setSpan} none="without an end, or as usual" />
        </div>
        <Check reads label="As an emergency" value={emergency} set={setEmergency} />
        <div className="row">
          <Button reads type="submit" disabled={!whom || !thing || told.busy}>
            Test it
          </Button>
          {body && <span className="small muted">With what is written above, saved or not.</span>}
        </div>
        <div aria-live="polite" className="stack tight">
          <Wrongs of={told.error} />
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
    note: s.satisfied ?? (s.blocked ? "Nobody at all can be asked here." : undefined),
    groups: s.groups.map((g) => ({
      needed: g.needed,
      seats: g.slots.map((x) => ({ words: x.display, via: x.via, because: x.because, for: x.acting_for })),
    })),
  }));

function Outcome({ of }: { of: Of<"ApprovalSimulated"> }) {
  const { plan } = of;
  const limits = [
    plan.terms.max_duration ? `at most ${spanWords(plan.terms.max_duration)}` : "",
    plan.terms.default_duration ? `usually ${spanWords(plan.terms.default_duration)}` : "",
    plan.terms.allow_permanent ? "" : "never without an end",
    plan.require_justification ? "a reason is needed" : "",
    plan.require_external_reference ? "a ticket is needed" : "",
    plan.emergency.allowed ? `in an emergency at once, for at most ${spanWords(plan.emergency.max_duration)}` : "",
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
            Otherwise it would be <Text of={of.instead_of.name} />.
          </>
        )}
      </p>
      {plan.blocked && <Note tone="bad">Nobody at all can be asked. The request would be blocked, and administrators told.</Note>}
      {plan.outcome === "auto_approve" && <Note tone="ok">Nobody is asked: approved. {plan.reason}</Note>}
      {plan.outcome === "auto_reject" && <Note tone="bad">Refused at once. {plan.reason}</Note>}
      {plan.outcome === "chain" && (
        <ApprovalPath of={planStations(plan)} label={`Who would be asked about ${of.display}`} end={<strong>Access</strong>} />
      )}
      {limits.length > 0 && <p className="small muted">{limits.join("; ")}.</p>}
      <details className="small">
        <summary>How they were found</summary>
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
