import * as text from "#text/separation";
import "./separation.css";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { durationText } from "../../kit/duration";
import { Note, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { Severity } from "./badges";
import { ConflictSides } from "./conflict";
import { Cures } from "./cures";
import type { Conflict, Cure } from "./words";

type Verdict = Of<"SeparationVerdict">;

const tones = { block: "bad", exception: "warn", warn: "warn", record: "neutral" } as const;

type VerdictProps = {
  of: Verdict;
  who?: ReactNode;
  /** How requested access is left out, where it can be. */
  leave?: (cure: Cure) => (() => void) | undefined;
  /** What can be done beside that. */
  more?: (conflict: Conflict) => ReactNode;
};

/** What separation-of-duties policies say about access before it is given. */
export function VerdictOf({ of: v, who, leave, more }: VerdictProps) {
  return (
    <ul className="stack" aria-label={text.wouldViolate}>
      {v.violations.map((c) => (
        <li key={`${c.policy.id} ${c.sides.map((s) => s.label).join()}`} className="card padded stack tight">
          <ConflictHead of={c} who={who} />
          <ConflictSides of={c} />
          <h4>{c.cures.length > 1 ? text.smallestWaysOut : text.smallestWayOut}</h4>
          <Cures of={c} {...(leave ? { leave } : {})} />
          <ExceptionNote of={c} />
          {c.mitigation && (
            <Note>
              {c.mitigation.state === "proposed"
                ? text.proposedNote(<bdi>{c.mitigation.control}</bdi>)
                : text.mitigatedNote(
                    <bdi>{c.mitigation.control}</bdi>,
                    c.mitigation.ends_at ? text.untilEnd(<When at={c.mitigation.ends_at} />) : "",
                  )}
            </Note>
          )}
          {c.remediation && (
            <p className="small muted" dir="auto">
              {c.remediation}
            </p>
          )}
          {more?.(c)}
        </li>
      ))}
    </ul>
  );
}

function ConflictHead({ of: c, who }: { of: Conflict; who: ReactNode }) {
  return (
    <div className="row">
      <h3 dir="auto">
        {who ? text.whoWouldViolatePolicy(who, <bdi>{c.policy.name}</bdi>) : text.thisWouldViolatePolicy(<bdi>{c.policy.name}</bdi>)}
      </h3>
      <State of={c.effect} tone={tones[c.effect]} words={text.verdictEffects[c.effect] ?? c.effect} />
      <Severity of={c.policy.severity} />
    </div>
  );
}

/** Who must allow an exception, or which one was allowed. */
function ExceptionNote({ of: c }: { of: Conflict }) {
  const e = c.exception;
  if (e) return <Note>{text.exceptedNote(e.number, e.ends_at ? text.untilEnd(<When at={e.ends_at} />) : "")}</Note>;
  if (c.effect !== "exception") return null;
  const most = c.exception_rule?.max_duration;
  return (
    <Note tone="warn">
      {c.exception_rule && text.exceptionBy(<bdi>{c.exception_rule.name}</bdi>)}{" "}
      {most ? text.exceptionAtMost(durationText(most)) : text.exceptionTerms}
    </Note>
  );
}

/** The policies that access would violate, shown before it is granted. Without a violation nothing is shown. */
export function Prediction({ person, add }: { person: string | undefined; add: { entitlement_id?: string; role_id?: string } }) {
  const predicted = useQuery({
    queryKey: ["/policies/separation-of-duties/predict", person, add],
    queryFn: ({ signal }) =>
      ask<Verdict>("POST", "/policies/separation-of-duties/predict", { body: { identity_id: person, add: [add] }, signal }),
    enabled: Boolean(person),
    staleTime: 0,
    retry: false,
  });
  const mine = (c: Conflict) => c.sides.some((s) => s.access.some((a) => a.source?.kind === "added"));
  const violations = (predicted.data?.violations ?? []).filter(mine);
  if (!predicted.data || violations.length === 0) return null;
  return (
    <section className="stack tight" aria-label={text.separationOfDuties} aria-live="polite">
      {predicted.data.effect === "block" && <Note tone="bad">{text.itWillBeRefused}</Note>}
      {predicted.data.effect === "exception" && (
        <Note tone="bad">
          {text.requestInstead}{" "}
          <Link className="link" to="/access/request">
            {text.requestAccess}
          </Link>
        </Note>
      )}
      <VerdictOf of={{ ...predicted.data, violations }} />
    </section>
  );
}
