import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import * as text from "#text/separation";
import "./separation.css";
import { useGet, useMay } from "../../api/use";
import { Id } from "../../kit/elements";
import { Button, Facts, Failure, Head, Note, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { PersonLink } from "../../kit/personlink";
import { Grade, Mode, Severity, ViolationState } from "./badges";
import { ConflictSides } from "./conflict";
import { Cures } from "./cures";
import { History } from "./history";
import { Mitigate, WithdrawMitigation } from "./mitigate";
import { Remediate } from "./remediate";
import { AssignViolation, MarkFalsePositive } from "./settle";
import type { Violation } from "./words";

/** One violation: the access on each side, the smallest ways to end it, and what was done about it. */
export default function ViolationPage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const violation = useGet<Violation>(`/policies/violations/${id}`, {}, { every: 10_000 });
  const up = <Link to="/violations">{text.violations}</Link>;
  const v = violation.data;
  if (violation.isError && !v) return <Failure page error={violation.error} retry={() => void violation.refetch()} />;
  if (!v)
    return (
      <div className="stack">
        <Head title={text.violation} up={up} lead="…" />
        <Skeleton rows={8} />
      </div>
    );
  return <Whole of={v} up={up} />;
}

type Doing = { what: "remediate"; remove: string[] } | { what: "mark" } | { what: "assign" } | { what: "mitigate" } | { what: "withdraw" };

function Whole({ of: v, up }: { of: Violation; up: ReactNode }) {
  const may = useMay();
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const acts = may.admin && v.state !== "remediated";
  const c = v.conflict;
  return (
    <div className="stack">
      <Head
        title={c.policy.name}
        up={up}
        lead={
          <span className="row">
            <PersonLink id={v.identity.id} className="sep-link">
              <bdi>{v.identity.display}</bdi>
            </PersonLink>
            <ViolationState of={v.state} />
            <Severity of={v.severity} />
            <Grade of={v.grade} />
            {c.policy.mode !== "enforce" && <Mode of={c.policy.mode} />}
          </span>
        }
      >
        {acts && v.state !== "false_positive" && v.mitigation?.state !== "proposed" && (
          <Button onClick={() => setDoing({ what: "mitigate" })}>{text.mitigateEllipsis}</Button>
        )}
        {acts && v.mitigation && (v.state === "mitigated" || v.mitigation.state === "proposed") && (
          <Button onClick={() => setDoing({ what: "withdraw" })}>{text.endMitigationEllipsis}</Button>
        )}
        {acts && v.state === "open" && <Button onClick={() => setDoing({ what: "mark" })}>{text.falsePositiveEllipsis}</Button>}
        {acts && <Button onClick={() => setDoing({ what: "assign" })}>{text.assignEllipsis}</Button>}
      </Head>
      <Notes of={v} />
      <div className="violation-parts">
        <div className="stack">
          <section className="card padded stack" aria-label={text.conflict}>
            <h2>{text.conflict}</h2>
            <ConflictSides of={c} partial={v.partial} />
          </section>
          {!v.partial && (
            <section className="card padded stack tight" aria-label={text.waysToEndIt}>
              <h2>{c.cures.length > 1 ? text.removeAnyOneOfThese : c.cures.length === 1 ? text.removeThis : text.waysToEndIt}</h2>
              <Cures
                of={c}
                {...(acts ? { revoke: (cure) => setDoing({ what: "remediate", remove: cure.remove.map((s) => s.id) }) } : {})}
              />
              {c.remediation && (
                <Note>
                  <strong>{text.adviceOfThePolicy}</strong>
                  <p dir="auto">{c.remediation}</p>
                </Note>
              )}
            </section>
          )}
          {may.oversees && (
            <History
              id={v.id}
              lead={text.historyOfTheViolation}
              none={text.nothingWasDoneYet}
              actions={text.actions}
              system={text.systemActor}
            />
          )}
        </div>
        <section className="card padded stack" aria-label={text.facts}>
          <h2>{text.facts}</h2>
          <Facts of={factsOf(v, may.oversees)} />
        </section>
      </div>
      {doing?.what === "remediate" && <Remediate of={v} first={doing.remove} close={close} />}
      {doing?.what === "mitigate" && <Mitigate of={v} close={close} />}
      {doing?.what === "withdraw" && v.mitigation && <WithdrawMitigation of={v.mitigation} close={close} />}
      {doing?.what === "mark" && <MarkFalsePositive of={v} close={close} />}
      {doing?.what === "assign" && <AssignViolation of={v} close={close} />}
    </div>
  );
}

/** What has to be said before the facts: why it is not open, or not for a decision. */
function Notes({ of: v }: { of: Violation }) {
  const f = v.false_positive;
  const r = v.remediation;
  const m = v.mitigation;
  const e = v.exception;
  const a = v.state === "open" ? v.automatic_revocation : null;
  return (
    <>
      {v.partial && <Note>{text.partialNote}</Note>}
      {v.state === "open" && r && (
        <Note tone="warn">
          {text.orderedNote(
            <bdi>{r.by.display}</bdi>,
            <When at={r.at} />,
            r.removed.map((s) => s.name).join(", "),
            <q dir="auto">{r.reason}</q>,
          )}
        </Note>
      )}
      {a?.cause && (
        <Note tone="warn">
          {text.automaticCauses[a.cause] ?? a.cause} {a.detail && <q dir="auto">{a.detail}</q>}
        </Note>
      )}
      {a?.outcome === "recorded" && a.removed.length > 0 && <Note>{text.automaticRecorded(a.removed.map((s) => s.name).join(", "))}</Note>}
      {m && v.state === "mitigated" && (
        <Note>{text.mitigatedNote(<bdi>{m.control}</bdi>, m.ends_at ? text.untilEnd(<When at={m.ends_at} />) : "")}</Note>
      )}
      {m && v.state === "open" && m.state === "proposed" && <Note>{text.proposedNote(<bdi>{m.control}</bdi>)}</Note>}
      {e && v.state === "open" && (
        <Note {...(e.covers ? {} : { tone: "warn" })}>
          {e.covers
            ? text.exceptedNote(<RequestLink of={e} />, e.ends_at ? text.untilEnd(<When at={e.ends_at} />) : "")
            : text.exceptionNoLongerCovers(<RequestLink of={e} />)}
        </Note>
      )}
      {f && <Note>{text.markedNote(<bdi>{f.by.display}</bdi>, <When at={f.at} />, f.policy_version, <q dir="auto">{f.reason}</q>)}</Note>}
      {v.state === "remediated" && (
        <Note tone="ok">
          {(v.resolution === "policy_changed" ? text.remediatedByPolicy : text.remediatedByAccess)(<When at={v.remediated_at ?? null} />)}
        </Note>
      )}
      {v.state === "open" && v.conflict.policy.mode === "shadow" && <Note>{text.shadowNote}</Note>}
    </>
  );
}

function RequestLink({ of }: { of: NonNullable<Violation["exception"]> }) {
  return (
    <Link className="sep-link" to="/requests/$id" params={{ id: of.request_id }}>
      {of.number}
    </Link>
  );
}

function factsOf(v: Violation, oversees: boolean): [string, ReactNode][] {
  const p = v.conflict.policy;
  return [
    [
      text.policy,
      oversees ? (
        <Link key="p" className="sep-link" to="/separation-of-duties/$id" params={{ id: p.id }}>
          <Text of={p.name} />
        </Link>
      ) : (
        <Text key="p" of={p.name} />
      ),
    ],
    [text.assignee, <Text key="a" of={v.assignee?.display ?? null} none={text.noOne} />],
    ...(v.mitigation
      ? [
          [
            text.mitigation,
            <Link key="m" className="sep-link" to="/separation-of-duties/mitigations/$id" params={{ id: v.mitigation.id }}>
              <Text of={`${v.mitigation.control} (${text.mitigationStates[v.mitigation.state] ?? v.mitigation.state})`} />
            </Link>,
          ] as [string, ReactNode],
        ]
      : []),
    ...(v.exception
      ? [
          [
            text.exceptionLabel,
            <span key="e">
              {text.allowedBy(<RequestLink of={v.exception} />, v.exception.approved_by.map((b) => b.display).join(", "))}
            </span>,
          ] as [string, ReactNode],
          [text.ruleLabel, <Text key="er" of={v.exception.rule} />] as [string, ReactNode],
        ]
      : []),
    ...(v.automatic_revocation
      ? [[text.automaticOutcome, text.automaticOutcomes[v.automatic_revocation.outcome] ?? ""] as [string, ReactNode]]
      : []),
    [text.detectedBy, text.detectedBys[v.detected_by] ?? v.detected_by],
    [text.firstFound, <When key="f" at={v.first_seen_at} />],
    [text.lastFound, <When key="l" at={v.last_seen_at} />],
    [text.reopened, v.reopened_at ? text.reopenedTimes(<When key="r" at={v.reopened_at} />, v.reopened_count) : ""],
    [
      text.related,
      <span key="all" className="stack tight">
        <Link className="sep-link" to="/violations" search={{ policy_id: p.id }}>
          {text.allOfThePolicy}
        </Link>
        <Link className="sep-link" to="/violations" search={{ identity_id: v.identity.id }}>
          {text.allOfThePerson}
        </Link>
      </span>,
    ],
    [text.idLabel, <Id key="i" of={v.id} />],
  ];
}
