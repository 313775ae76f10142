import type { ReactNode } from "react";
import * as text from "#text/policies";
import type { Of } from "../../api/types";
import { durationText } from "../../kit/duration";
import { Id } from "../../kit/elements";
import { Facts, When } from "../../kit/kit";
import { AccessName, PersonName, RoleName } from "../roles/names";
import { Named } from "./manypick";
import { constraintWords, type KeptSchedule, windowWords } from "./terms";
import { type LifecycleState, lifecycleStates } from "./words";

/** What a policy says and has done, to read. */
export function Definition({ of: p }: { of: Of<"AccessPolicy"> }) {
  const r = p.resources;
  const things = [
    ...(r?.role_ids ?? []).map((id) => <RoleName key={id} id={id} />),
    ...(r?.entitlement_ids ?? []).map((id) => <AccessName key={id} id={id} />),
    ...(r?.connector_ids ?? []).map((id) => (
      <span key={id}>{(p.effect === "assign" ? text.anAccountIn : text.allAccessIn)(<Named kind="systems" id={id} />)}</span>
    )),
  ];
  for (const tag of r?.tags ?? []) things.push(<span key={`tag ${tag}`}>{text.allAccessWithTheTag(tag)}</span>);
  const s = p.stats;
  const must = requiredOf(p);
  return (
    <div className="policy-result">
      <section className="card padded stack" aria-label={text.definition}>
        <div>
          <h2>{text.appliesTo}</h2>
          <p className="policy-sentence" dir="auto">
            {p.sentence || text.everyone}
          </p>
        </div>
        <div>
          <h2>{accessTitles[p.effect ?? "assign"]}</h2>
          {p.effect === "require" && things.length === 0 && <p>{text.everyoneWhoMatches}</p>}
          <ul className="policy-access">
            {things.map((t) => (
              <li key={t.key}>{t}</li>
            ))}
          </ul>
        </div>
        {must.length > 0 && (
          <div>
            <h2>{text.mustHave}</h2>
            <ul className="policy-access">
              {must.map((m) => (
                <li key={m.key}>{m}</li>
              ))}
            </ul>
          </div>
        )}
        <Facts of={facts(p)} />
      </section>
      <section className="card padded stack" aria-label={text.figures}>
        <h2>{text.lastFullEvaluation}</h2>
        <Facts
          of={[
            [text.matchingPeople, s.matched.toLocaleString("en")],
            [p.mode === "enforce" ? text.grantsPending : text.grantsInDryRun, gives(p) ? `+ ${s.would_grant.toLocaleString("en")}` : ""],
            [p.mode === "enforce" ? text.endsPending : text.endsInDryRun, gives(p) ? `− ${s.would_end.toLocaleString("en")}` : ""],
            [text.peopleWithAccessThroughThisPolicy, gives(p) ? p.holder_count.toLocaleString("en") : ""],
            [text.blockedAfterAManualRevocation, s.withheld ? s.withheld.toLocaleString("en") : ""],
            [text.accessToReview, p.lifecycle?.on_no_match === "review" ? s.to_review.toLocaleString("en") : ""],
            [text.peopleWhoLackSomething, p.effect === "require" ? s.lacking.toLocaleString("en") : ""],
            [text.peopleWithEvaluationErrors, s.warnings ? s.warnings.toLocaleString("en") : ""],
            [text.evaluated, <When key="w" at={p.last_evaluated_at ?? null} none={text.notYet} />],
          ]}
        />
      </section>
    </div>
  );
}

const accessTitles = {
  assign: text.grantedAccess,
  deny: text.deniedAccess,
  eligible: text.requestableAccess,
  require: text.accessOfTheRequirement,
};

/** The constraints that say whom a policy applies to, without what it requires. */
const narrowing = (p: Of<"AccessPolicy">) =>
  p.effect === "require" && p.constraints ? { ...p.constraints, needs_training: null, needs_manager: false } : p.constraints;

/** Whether the figures of a policy are about access that it gives. */
const gives = (p: Of<"AccessPolicy">) => p.effect !== "require";

/** What people must have by a policy. */
function requiredOf(p: Of<"AccessPolicy">) {
  if (p.effect !== "require") return [];
  const training = p.constraints?.needs_training;
  return [
    ...(p.companion?.role_ids ?? []).map((id) => <RoleName key={id} id={id} />),
    ...(p.companion?.entitlement_ids ?? []).map((id) => <AccessName key={id} id={id} />),
    ...(training ? [<span key="training">{text.trainingNamed(training)}</span>] : []),
    ...(p.constraints?.needs_manager ? [<span key="manager">{text.aManagerLower}</span>] : []),
  ];
}

function facts(p: Of<"AccessPolicy">): [string, ReactNode][] {
  const l = p.lifecycle;
  const when = (l?.when ?? []) as LifecycleState[];
  const assigns = p.effect === "assign";
  const origin = (p.origin ?? {}) as { kind?: string; pack?: string; name?: string };
  return [
    [
      text.applies,
      p.effect === "deny"
        ? ""
        : when.length === 4 || !when.length
          ? text.always
          : lifecycleStates
              .filter(([w]) => when.includes(w))
              .map(([, words]) => words)
              .join(", "),
    ],
    [text.beforeTheFirstDay, assigns ? (l?.lead_time ? durationText(l.lead_time) : text.tenantsLifecycleSetting) : ""],
    [
      text.ifAPersonNoLongerMatches,
      assigns
        ? l?.on_no_match === "review"
          ? text.accessIsKeptUntilItIsReviewed
          : l?.on_no_match === "end_now"
            ? text.accessEndsAtOnce
            : l?.grace
              ? text.accessIsKeptForGrace(durationText(l.grace))
              : text.accessIsKeptForTheTenants
        : "",
    ],
    [text.constraints, constraintWords(narrowing(p)).join("; ")],
    [text.schedule, p.schedule ? <Times key="s" of={p.schedule} /> : text.atAllTimes],
    [
      text.circuitBreaker,
      p.circuit_breaker
        ? text.opensAfterMaxChangesChangesWithin(p.circuit_breaker.max_changes, durationText(p.circuit_breaker.window))
        : text.none,
    ],
    [text.owners, p.owner_ids?.length ? <Owners key="o" ids={p.owner_ids} /> : ""],
    [text.source, origin.kind && origin.kind !== "manual" ? `${origin.kind} ${origin.pack ?? origin.name ?? ""}` : ""],
    [text.version, p.version],
    [text.id, <Id key="i" of={p.id} />],
  ];
}

const Times = ({ of }: { of: KeptSchedule }) => (
  <ul>
    {(of.weekly ?? []).map((w) => (
      <li key={windowWords(w)}>{windowWords(w)}</li>
    ))}
    {of.from && (
      <li>
        {text.appliesFrom} <When at={of.from} />
      </li>
    )}
    {of.to && (
      <li>
        {text.appliesUntil} <When at={of.to} />
      </li>
    )}
  </ul>
);

const Owners = ({ ids }: { ids: string[] }) => (
  <ul>
    {ids.map((id) => (
      <li key={id}>
        <PersonName id={id} />
      </li>
    ))}
  </ul>
);
