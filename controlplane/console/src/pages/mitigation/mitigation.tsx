import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import * as text from "#text/mitigation";
import "../separation/separation.css";
import "./mitigation.css";
import { useGet, useMay } from "../../api/use";
import { durationText } from "../../kit/duration";
import { Id } from "../../kit/elements";
import { Button, Facts, Failure, Head, Note, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { PersonLink } from "../../kit/personlink";
import { Severity } from "../separation/badges";
import { History } from "../separation/history";
import { WithdrawMitigation } from "../separation/mitigate";
import { MitigationState } from "./columns";
import { EvidenceList } from "./evidence";
import { endingWords, isOpen, type Mitigation } from "./words";

/** One mitigation: its violation and control, its dates and evidence, and what happened to it. */
export default function MitigationPage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const mitigation = useGet<Mitigation>(`/policies/mitigations/${id}`, {}, { every: 10_000 });
  const m = mitigation.data;
  const up = <Link to="/separation-of-duties/mitigations">{text.mitigations}</Link>;
  if (mitigation.isError && !m) return <Failure page error={mitigation.error} retry={() => void mitigation.refetch()} />;
  if (!m)
    return (
      <div className="stack">
        <Head title={text.mitigation} up={up} lead="…" />
        <Skeleton rows={8} />
      </div>
    );
  return <Whole of={m} up={up} />;
}

function Whole({ of: m, up }: { of: Mitigation; up: ReactNode }) {
  const may = useMay();
  const [ending, setEnding] = useState(false);
  return (
    <div className="stack">
      <Head
        title={m.mitigation_policy.display}
        up={up}
        lead={
          <span className="row">
            <span>{text.ofPolicyByPerson(<bdi key="p">{m.policy.display}</bdi>, <bdi key="i">{m.identity.display}</bdi>)}</span>
            <MitigationState of={m.state} />
            <Severity of={m.severity} />
          </span>
        }
      >
        {may.admin && isOpen(m) && <Button onClick={() => setEnding(true)}>{text.endEllipsis}</Button>}
      </Head>
      <Status of={m} />
      <div className="violation-parts">
        <div className="stack">
          <section className="card padded stack tight" aria-label={text.justification}>
            <h2>{text.justification}</h2>
            <p className="control-procedure" dir="auto">
              {m.justification}
            </p>
          </section>
          <EvidenceList id={m.id} />
          {may.oversees && (
            <History
              id={m.id}
              lead={text.historyOfTheMitigation}
              none={text.nothingHasHappenedYet}
              actions={text.actions}
              system={text.systemActor}
            />
          )}
        </div>
        <section className="card padded stack" aria-label={text.facts}>
          <h2>{text.facts}</h2>
          <Facts of={factsOf(m, may.oversees)} />
        </section>
      </div>
      {ending && <WithdrawMitigation of={m} close={() => setEnding(false)} />}
    </div>
  );
}

/** What has to happen next, or why it ended. */
function Status({ of: m }: { of: Mitigation }) {
  const due = <When at={m.next_evidence_due_at ?? null} />;
  const lapses = <When at={m.lapses_at ?? null} />;
  if (m.state === "proposed") return <Note>{text.proposedNote}</Note>;
  if (m.state === "evidence_due") return <Note tone="warn">{text.dueNote(due, lapses)}</Note>;
  if (m.state === "evidence_overdue") return <Note tone="bad">{text.overdueNote(due, lapses)}</Note>;
  if (m.ended_at) return <Note>{text.endedNote(<When at={m.ended_at} />, endingWords(m.ended_reason ?? ""))}</Note>;
  return null;
}

/** The reminders of the owner, the decision about the end, and the effect of a lapse. */
function courseOf(m: Mitigation): [string, ReactNode][] {
  const at = (when: string | null | undefined) => (when ? <When key={when} at={when} /> : "");
  return [
    [text.reminded, at(m.evidence_reminded_at)],
    [text.endAnnounced, at(m.end_announced_at)],
    [text.endAgreed, m.end_agreed_at ? text.decidedAt(<When key="g" at={m.end_agreed_at} />) : ""],
    [text.ended, at(m.ended_at)],
    [text.lapseEffect, m.lapse_effect ? (text.lapseEffects[m.lapse_effect] ?? m.lapse_effect) : ""],
    [
      text.renews,
      m.renewal_of_id ? (
        <Link key="f" className="sep-link" to="/separation-of-duties/mitigations/$id" params={{ id: m.renewal_of_id }}>
          {text.earlierMitigation}
        </Link>
      ) : (
        ""
      ),
    ],
  ];
}

function factsOf(m: Mitigation, oversees: boolean): [string, ReactNode][] {
  const at = (when: string | null | undefined, key: string) => (when ? <When key={key} at={when} /> : "");
  const named = (to: string, of: Mitigation["policy"]) =>
    oversees ? (
      <Link key={to} className="sep-link" to={to} params={{ id: of.id }}>
        <Text of={of.display} />
      </Link>
    ) : (
      <Text key={to} of={of.display} />
    );
  const person = (of: Mitigation["owner"], key: string) => (
    <PersonLink key={key} id={of.id} className="sep-link">
      <Text of={of.display} />
    </PersonLink>
  );
  return [
    [text.control, named("/separation-of-duties/controls/$id", m.mitigation_policy)],
    [text.policy, named("/separation-of-duties/$id", m.policy)],
    [text.person, person(m.identity, "p")],
    [text.owner, person(m.owner, "o")],
    [
      text.violation,
      m.violation_id ? (
        <Link key="v" className="sep-link" to="/violations/$id" params={{ id: m.violation_id }}>
          {text.showViolation}
        </Link>
      ) : (
        <Link
          key="v"
          className="sep-link"
          to="/violations"
          search={{ identity_id: m.identity.id, ...(oversees ? { policy_id: m.policy.id } : {}) }}
        >
          {text.violationsOfThePerson}
        </Link>
      ),
    ],
    [
      text.request,
      m.access_request_id ? (
        <Link key="r" className="sep-link" to="/requests/$id" params={{ id: m.access_request_id }}>
          {text.showRequest}
        </Link>
      ) : (
        ""
      ),
    ],
    [text.duration, durationText(m.duration)],
    [text.proposedBy, text.byAt(<Text key="b" of={m.requested_by.display} />, <When key="w" at={m.requested_at} />)],
    [text.decidedBy, m.decided_by ? text.byAt(<Text key="b" of={m.decided_by.display} />, <When key="w" at={m.decided_at ?? null} />) : ""],
    [
      text.comment,
      m.decision_comment ? (
        <q key="c" dir="auto">
          {m.decision_comment}
        </q>
      ) : (
        ""
      ),
    ],
    [text.starts, at(m.starts_at, "s")],
    [text.ends, m.ended_at ? "" : at(m.ends_at, "e")],
    [text.nextEvidence, at(m.next_evidence_due_at, "n")],
    [text.lapses, at(m.lapses_at, "l")],
    ...courseOf(m),
    [text.id, <Id key="i" of={m.id} />],
  ];
}
