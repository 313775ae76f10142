import { type ReactNode, useState } from "react";
import * as texts from "#text/requests";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { number } from "../../kit/count";
import { durationText, replaceDurations } from "../../kit/duration";
import { Verbatim } from "../../kit/elements";
import { Badge, Button, Facts, Note, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Risk, State } from "../../kit/state";
import { ApprovalPath, type ApprovalStep } from "../approvals/path";
import { exceptionNote } from "./preview";
import { ReassignItem } from "./reassign";
import { type RequestPermissions, statusTone, statusWords } from "./words";

type Request = Of<"AccessRequest">;
type Item = Of<"AccessRequestItem">;

/** One thing of a request: whom it passes, and how far the access is in its system. */
export function RequestedItem({ of: i, request: r, can }: { of: Item; request: Request; can: RequestPermissions }) {
  const [handing, hand] = useState(false);
  const withdraw = useAct({
    act: (_: string, key) => ask<Request>("POST", `/access-requests/${r.id}/items/${i.id}/withdraw`, { body: {}, key, ifMatch: r.version }),
    done: texts.iWasWithdrawn(i.display),
    changes: ["/access-requests", "/decision-tasks"],
  });
  const tone = statusTone(i.status);
  const several = r.items.length > 1;
  return (
    <article className="card padded requests-item" aria-label={i.display}>
      <div className="row between">
        <h3 className="row">
          {i.role_id ? (
            <Link to="/roles/$id" params={{ id: i.role_id }} className="link">
              <Text of={i.display} />
            </Link>
          ) : (
            <Link to="/access/$id" params={{ id: i.entitlement_id ?? "" }} className="link">
              <Text of={i.display} />
            </Link>
          )}
          {i.role_id && <Badge>{texts.roleLower}</Badge>}
          <Risk of={i.risk_level} />
          {i.privileged && <Badge tone="warn">{texts.privilegedLower}</Badge>}
          <State of={i.status} words={statusWords(i.status, r.kind)} {...(tone ? { tone } : {})} />
        </h3>
        <div className="row">
          {can.reassigns(i) && <Button onClick={() => hand(true)}>{texts.reassign}</Button>}
          {several && can.withdraws(i) && (
            <Button disabled={withdraw.isPending} onClick={() => withdraw.mutate(i.id)}>
              {texts.withdrawItem}
            </Button>
          )}
        </div>
      </div>
      <Outcome of={i} />
      {i.stages.length > 0 && <ApprovalPath of={stepsOf(i)} label={texts.approversOfI(i.display)} />}
      <Provisioned of={i} kind={r.kind} />
      {i.review && <Reviewed of={i.review} mine={!can.aside} />}
      <Facts of={facts(i)} />
      <Why of={i} />
      {handing && <ReassignItem request={r} item={i} close={() => hand(false)} />}
    </article>
  );
}

function Outcome({ of: i }: { of: Item }) {
  if (!i.decision || (i.review && i.decision === "approved")) return null; // nobody approved an emergency
  const who = i.decided_by.map((d) => d.display).join(", ");
  const bad = i.decision !== "approved";
  if (!i.decision_reason && !bad) return null;
  return (
    <Note tone={bad ? "bad" : "ok"}>
      {statusOf(i)} {who && <>{texts.byWho(who)}</>} {i.decided_at && <When at={i.decided_at} />}
      {i.decision_reason && (
        <>
          : <q dir="auto">{i.decision_reason}</q>
        </>
      )}
    </Note>
  );
}

const statusOf = (i: Item) =>
  ({ approved: texts.approved, rejected: texts.rejected, expired: texts.expiredWithoutADecision, cancelled: texts.withdrawn })[
    i.decision ?? "approved"
  ];

/** The approval steps of an item. */
const stepsOf = (i: Item): ApprovalStep[] =>
  i.stages.map((s) => ({
    name: s.name,
    state: s.state,
    due: s.due_at ?? null,
    since: s.state === "open" ? (s.opened_at ?? null) : (s.closed_at ?? null),
    note: stageNote(s),
    groups: s.groups.map((g) => ({
      needed: g.needed,
      approvers: g.slots
        .filter((x) => x.state !== "superseded" || s.groups.length === 1)
        .map((x) => ({
          words: x.decided_by && x.state !== "open" ? x.decided_by : x.display,
          state: x.state,
          via: x.via,
          for: x.acting_for ?? null,
          at: x.decided_at ?? null,
          comment: x.comment,
        })),
    })),
  }));

function stageNote(s: Of<"StageInstance">): ReactNode {
  const late = s.escalations.map((e) => (
    <span key={e.at}>
      {e.to?.length
        ? texts.escalatedAtToTo(<When at={e.at} />, e.to.join(", "))
        : texts.escalatedAtAction(<When at={e.at} />, e.action.replaceAll("_", " "))}{" "}
    </span>
  ));
  const excepted = exceptionNote(s.exception_policies);
  if (!s.waits_for && !excepted && late.length === 0) return undefined;
  return (
    <>
      {excepted && <span>{excepted} </span>}
      {s.waits_for && <span>{texts.waitingForWaitsFor(s.waits_for)} </span>}
      {late}
    </>
  );
}

const sentence = (s: string) => s.charAt(0).toUpperCase() + s.slice(1);

const stateWords: Record<string, string> = {
  scheduled: texts.startsLater,
  provisioning: texts.beingProvisioned,
  fulfilled: texts.verifiedInTheSystem,
  failed: texts.theSystemRejectedTheChangeIt,
  ending: texts.beingRevoked,
  closed: texts.endedSentence,
};

function Provisioned({ of: i, kind }: { of: Item; kind: string }) {
  const p = i.provisioning;
  if (!p) return null;
  const error = p.error && Object.keys(p.error).length > 0 ? p.error : undefined;
  return (
    <div className="stack tight" role="status">
      <div className="row">
        <State of={p.state} words={kind === "grant" ? statusWords(p.state) : p.state} />
        <span className="small muted">
          {stateWords[p.state]}{" "}
          {p.total > 1 &&
            (p.failed
              ? texts.activeOfEntitlementsGrantedFailedFailed(number(p.active), p.total, p.failed)
              : texts.activeOfEntitlementsGranted(number(p.active), p.total))}{" "}
          {p.reason && <Text of={sentence(p.reason)} />}
        </span>
        {p.verified_at && <span className="small muted">{texts.verifiedVerifiedAt(<When at={p.verified_at} />)}</span>}
        {p.tasks.map((t, n) => (
          <Link key={t} className="link small" to="/provisioning" search={{ task: t }}>
            {p.tasks.length > 1 ? texts.taskN(n + 1) : texts.changesInTheSystem}
          </Link>
        ))}
      </div>
      {error && (
        <>
          <p className="small muted">{texts.responseOfTheSystemColon}</p>
          <Verbatim label={texts.responseOfTheSystem} copy>
            {errorText(error)}
          </Verbatim>
        </>
      )}
    </div>
  );
}

/** What a target said, as plainly as it can be shown. */
function errorText(error: Record<string, unknown>): string {
  const text = (name: string) => (typeof error[name] === "string" ? (error[name] as string) : "");
  const rest = Object.entries(error).filter(([n]) => n !== "message" && n !== "detail");
  return [text("message") || text("detail"), rest.length ? JSON.stringify(Object.fromEntries(rest), null, 2) : ""]
    .filter(Boolean)
    .join("\n");
}

function Reviewed({ of, mine }: { of: Of<"EmergencyReview">; mine: boolean }) {
  return (
    <Note tone={of.state === "open" ? "warn" : of.state === "revoked" ? "bad" : "ok"}>
      {of.state === "open" ? (
        <>
          {texts.emergencyAccessGrantedAtOnceReviewers(of.told.join(", "))}
          {of.escalated && texts.escalatedToTheAdministrators} {texts.dueDueAt(<When at={of.due_at} />)}{" "}
          {!mine && (
            <Link className="link" to="/inbox" search={{ task: of.task_id }}>
              {texts.openReview}
            </Link>
          )}
        </>
      ) : (
        <>
          {of.state === "confirmed"
            ? texts.reviewedByByAtConfirmed(of.by?.display, <When at={of.at ?? null} />)
            : texts.reviewedByByAtEnded(of.by?.display, <When at={of.at ?? null} />)}
          {of.comment && (
            <>
              : <q dir="auto">{of.comment}</q>
            </>
          )}
        </>
      )}
    </Note>
  );
}

function facts(i: Item): [string, ReactNode][] {
  return [
    [texts.duration, i.duration ? durationText(i.duration) : !i.ends_at ? texts.noEndDate : ""],
    [texts.start, i.starts_at ? <When key="s" at={i.starts_at} /> : ""],
    [texts.end, i.ends_at ? <When key="e" at={i.ends_at} /> : ""],
    [texts.conditions, i.limits_applied.map(replaceDurations).join("; ")],
    ...Object.entries(i.parameters).map(([n, v]) => [n.replaceAll("_", " "), <Text key={n} of={String(v)} />] as [string, ReactNode]),
  ];
}

function Why({ of: i }: { of: Item }) {
  const log = i.stages.flatMap((s) => s.resolution_log.map((l) => ({ ...l, stage: s.name })));
  return (
    <details className="small">
      <summary>{texts.howApproversWereFound}</summary>
      <div className="stack tight">
        <p className="muted">
          <Text of={i.rule.name} />
          {i.rule.version ? texts.versionVersion(i.rule.version) : ""}: {i.rule.matched_because}
        </p>
        {log.length > 0 && (
          <ul className="stack tight">
            {log.map((l, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of a log
              <li key={n} className="muted">
                <When at={l.at} /> <Text of={l.stage} />: <span dir="auto">{l.detail}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </details>
  );
}
