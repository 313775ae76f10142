import { Fragment, type ReactNode } from "react";
import * as text from "#text/inbox";
import { durationText, replaceDurations } from "../../kit/duration";
import { Text, When } from "../../kit/kit";
import { PersonLink } from "../../kit/personlink";
import { Risk, State } from "../../kit/state";
import { gradeWords } from "../separation/words";
import { at, rows, sentence, type Task, words } from "./tasks";

/** A name, and what is so. */
export type Fact = [string, ReactNode];

/** What a task tells of what it is about, in the order in which one asks. What is not told is left out. */
export function factsOf(task: Task): Fact[] {
  const c = task.context;
  const facts: (Fact | false)[] = [...(byKind[task.kind]?.(task) ?? []), ...general(task)];
  const shown = facts.filter((f): f is Fact => Boolean(f && f[1] !== undefined && f[1] !== null && f[1] !== ""));
  const warned = words(c, "changed_by_approvers", "ends_at");
  return warned ? [...shown, [text.shortenedByAnApprover, <When key="w" at={warned} />]] : shown;
}

const general = (task: Task): (Fact | false)[] => [
  task.due_at ? [text.due, <When key="d" at={task.due_at} />] : false,
  [text.requested, <When key="a" at={task.created_at} />],
];

type FactsOfKind = (task: Task) => (Fact | false)[];

const request: FactsOfKind = ({ context: c }) => [
  [text.forLabel, <Who key="for" of={at(c, "beneficiary") ?? at(c, "requested_for")} />],
  [text.requester, <Who key="by" of={at(c, "requester") ?? at(c, "requested_by")} />],
  [text.system, words(c, "item", "system")],
  [text.reason, <Text key="why" of={words(c, "justification")} none={text.noReasonWasGiven} />],
  [text.duration, <Long key="long" of={c} />],
  described(c) !== undefined && [text.description, <Text key="what" of={described(c)} />],
  Boolean(at(c, "item", "privileged") ?? at(c, "what", "privileged")) && [
    text.privileged,
    <State key="p" of="high" words={text.privilegedAccess} />,
  ],
  [text.ticket, words(c, "external_reference")],
  [text.conditions, list(at(c, "limits"))],
  ...answers(at(c, "form_answers")),
  ...answers(at(c, "parameters")),
  Number(at(c, "other_items") ?? 0) > 0 && [text.otherItems, text.wordsMoreInTheSameRequest(words(c, "other_items"))],
  rows(c, "exceptions").length > 0 && [text.exceptionFor, list(rows(c, "exceptions").map((e) => words(e, "policy") ?? ""))],
  [text.conflicts, conflictsOf(c)],
  [text.approvalRule, words(c, "rule", "matched_because") && `${words(c, "rule", "name")}: ${words(c, "rule", "matched_because")}`],
];

/** The violations that the access would cause, with the access on each side and the smallest ways out. */
function conflictsOf(c: unknown): ReactNode {
  const excepted = rows(c, "exceptions").map((e) => words(e, "conflict") ?? "");
  const warned = ((at(c, "separation_of_duties") ?? []) as string[]).filter((w) => !excepted.some((e) => w.startsWith(e)));
  return list([...excepted, ...warned]);
}

const described = (c: unknown) => words(c, "item", "description") ?? words(c, "what", "description");

const account: FactsOfKind = ({ context: c }) => [
  [text.account, words(c, "account", "name")],
  [text.state, <State key="s" of={words(c, "account", "status")} />],
  [text.previousOwner, at(c, "owner") ? <Who key="o" of={at(c, "owner")} /> : undefined],
  [text.orphanedSince, Boolean(at(c, "since")) && <When key="since" at={words(c, "since")} />],
  [text.lastSignIn, <When key="l" at={words(c, "account", "last_login_at")} none={text.notReported} />],
  [text.access, at(c, "account", "grants") !== undefined && text.wordsGrants(words(c, "account", "grants"))],
  at(c, "account", "privileged") === true && [text.privileged, <State key="p" of="high" words={text.privilegedAccount} />],
  [text.eMailAddress, words(c, "account", "email")],
  [text.employeeNumber, words(c, "account", "employee_number")],
  rows(c, "candidates").length > 0 && [text.candidates, <Candidates key="c" of={rows(c, "candidates")} />],
  [text.excluded, list(Object.entries((at(c, "cannot") ?? {}) as object).map(([what, why]) => `${sentence(what)}: ${why}`))],
];

const change: FactsOfKind = ({ context: c }) => [
  [text.task, <Text key="t" of={words(c, "what_to_do") ?? words(c, "by_hand")} />],
  [text.system, words(c, "connector", "display")],
  [text.person, at(c, "identity") ? <Who key="w" of={at(c, "identity")} /> : undefined],
  [text.account, words(c, "account", "display")],
  [text.access, words(c, "entitlement", "display")],
  [text.responseOfTheSystem, words(c, "error", "message")],
  [text.advice, words(c, "advice")],
  [text.attempts, at(c, "attempts") !== undefined && words(c, "attempts")],
];

const mitigation: FactsOfKind = ({ context: c }) => [
  [text.policy, words(c, "policy", "display")],
  [text.control, words(c, "control", "display")],
  [text.person, at(c, "identity") ? <Who key="w" of={at(c, "identity")} /> : undefined],
  [text.mitigationEnds, words(c, "ends_at") && <When key="e" at={words(c, "ends_at")} />],
  [text.carriedOutBy, words(c, "owner", "display")],
  [text.procedure, words(c, "procedure")],
  [text.justification, words(c, "justification")],
  [text.evidence, words(c, "text")],
  [
    text.link,
    words(c, "url") && (
      <a key="l" className="inbox-link" href={words(c, "url")} target="_blank" rel="noreferrer">
        <bdi>{words(c, "url")}</bdi>
      </a>
    ),
  ],
];

const byKind: Record<string, FactsOfKind> = {
  request_approval: request,
  request_blocked: request,
  external_wait: request,
  emergency_review: (t) => [
    ...request(t),
    [text.item, words(t.context, "what")],
    [text.ends, words(t.context, "ends_at") && <When key="e" at={words(t.context, "ends_at")} />],
  ],
  account_correlation: account,
  orphan_account: account,
  manual_provisioning: change,
  provisioning_failure: change,
  provisioning_hold: change,
  native_grant: ({ context: c }) => [
    [text.person, at(c, "identity") ? <Who key="w" of={at(c, "identity")} /> : undefined],
    [text.access, words(c, "entitlement", "display")],
    [text.description, words(c, "entitlement_description")],
    [text.system, words(c, "connector", "display")],
    [text.revoked, at(c, "ended_at") ? <When key="e" at={words(c, "ended_at")} /> : false],
    [text.reason, words(c, "end_reason")],
    [text.lastUsed, <When key="u" at={words(c, "last_used_at")} none={text.notReported} />],
  ],
  sod_violation: ({ context: c }) => [
    [text.person, <Who key="w" of={at(c, "identity")} />],
    [text.policy, words(c, "conflict", "policy", "name")],
    [text.grade, gradeWords(words(c, "conflict", "grade") ?? "")],
    [text.advice, words(c, "conflict", "remediation")],
    [text.lastMitigation, words(c, "mitigation", "control")],
  ],
  lifecycle_exception: ({ context: c }) => [
    [text.person, <Who key="w" of={at(c, "identity")} />],
    [text.access, list(Array.isArray(c.access) ? c.access.map(String) : [])],
    [text.policy, words(c, "policy", "display")],
  ],
  requirement_gap: ({ context: c }) => [
    [text.person, <Who key="w" of={at(c, "identity")} />],
    [text.lacks, list(rows(c, "missing").flatMap((m) => words(m, "display") ?? []))],
    [text.policy, words(c, "policy", "display")],
  ],
  mitigation_approval: (t) => [...mitigation(t), [text.mitigationDuration, words(t.context, "duration")]],
  mitigation_evidence: mitigation,
  mitigation_review: mitigation,
  mitigation_end: mitigation,
  role_proposal: ({ context: c }) => [
    [text.proposedBy, words(c, "proposed_by", "display")],
    [text.currentRisk, <Risk key="b" of={words(c, "risk_before")} />],
    [text.newRisk, <Risk key="a" of={words(c, "risk_after")} />],
  ],
  sync_hold: ({ context: c }) => [
    [text.system, words(c, "connector", "name")],
    [text.held, text.wordsOfWords2Changes(words(c, "held"), words(c, "total"))],
    [text.reason, list(rows(c, "holds").flatMap((h) => words(h, "cause") ?? []))],
    [text.discarded, <When key="x" at={words(c, "expires_at")} none={text.not} />],
  ],
  schema_diff: ({ context: c }) => [
    [text.system, words(c, "connector", "name")],
    [text.openDecisions, text.wordsFields(words(c, "undecided") ?? "")],
  ],
  pack_conflict: ({ context: c }) => [
    [text.pack, words(c, "pack_key")],
    [text.object, `${sentence(words(c, "kind") ?? "")} ${words(c, "object_key") ?? ""}`],
  ],
};

/** A person, by name and where they work, as a link where one can be followed. */
export function Who({ of }: { of: unknown }) {
  const id = words(of, "id");
  const name = words(of, "display");
  if (!name && !id) return null;
  const detail = [words(of, "title"), words(of, "department")].filter(Boolean).join(", ");
  const person = id && words(of, "type") !== "user" && words(of, "type") !== "service";
  return (
    <>
      {person ? (
        <PersonLink id={id} className="inbox-link">
          <bdi>{name ?? id}</bdi>
        </PersonLink>
      ) : (
        <bdi>{name ?? id}</bdi>
      )}
      {detail && <span className="muted"> · {detail}</span>}
    </>
  );
}

function Candidates({ of }: { of: Record<string, unknown>[] }) {
  if (of.length === 0) return null;
  return of.map((c) => (
    <Fragment key={words(c, "identity_id")}>
      <Who of={{ id: c.identity_id, display: c.display }} />
      <small className="muted inbox-line">
        {typeof c.score === "number" ? `${Math.round(c.score * 100)} %: ` : ""}
        {Array.isArray(c.explanation) ? c.explanation.join("; ") : ""}
      </small>
    </Fragment>
  ));
}

function Long({ of: c }: { of: unknown }) {
  const starts = words(c, "duration", "starts_at") ?? words(c, "starts_at");
  const ends = words(c, "duration", "ends_at") ?? words(c, "ends_at");
  const duration = words(c, "duration", "duration") ?? words(c, "duration");
  if (!starts && !ends && !duration) return text.noEndDate;
  return (
    <>
      {starts && <>{text.fromStarts(<When at={starts} />)} </>}
      {ends ? text.untilEnds(<When at={ends} />) : duration && text.forDuration(durationText(duration))}
    </>
  );
}

const list = (of: unknown): ReactNode =>
  Array.isArray(of) && of.length > 0
    ? of
        .filter((x) => typeof x === "string")
        .map(replaceDurations)
        .join("; ")
    : undefined;

const answers = (of: unknown): Fact[] =>
  Object.entries((of ?? {}) as object).map(([name, value]) => [
    sentence(name),
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
