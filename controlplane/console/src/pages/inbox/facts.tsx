import { Fragment, type ReactNode } from "react";
import { durationText, replaceDurations } from "../../kit/duration";
import { Text, When } from "../../kit/kit";
import { PersonLink } from "../../kit/personlink";
import { Risk, State } from "../../kit/state";
import { at, rows, sentence, type Task, words } from "./tasks";

/** A name, and what is so. */
export type Fact = [string, ReactNode];

/** What a task tells of what it is about, in the order in which one asks. What is not told is left out. */
export function factsOf(task: Task): Fact[] {
  const c = task.context;
  const facts: (Fact | false)[] = [...(byKind[task.kind]?.(task) ?? []), ...general(task)];
  const shown = facts.filter((f): f is Fact => Boolean(f && f[1] !== undefined && f[1] !== null && f[1] !== ""));
  const warned = words(c, "changed_by_approvers", "ends_at");
  return warned ? [...shown, ["Shortened by an approver", <When key="w" at={warned} />]] : shown;
}

const general = (task: Task): (Fact | false)[] => [
  task.due_at ? ["Due", <When key="d" at={task.due_at} />] : false,
  ["Requested", <When key="a" at={task.created_at} />],
];

type Tell = (task: Task) => (Fact | false)[];

const request: Tell = ({ context: c }) => [
  ["For", <Who key="for" of={at(c, "beneficiary") ?? at(c, "requested_for")} />],
  ["Requester", <Who key="by" of={at(c, "requester") ?? at(c, "requested_by")} />],
  ["Reason", <Text key="why" of={words(c, "justification")} none="No reason was given." />],
  ["Duration", <Long key="long" of={c} />],
  described(c) !== undefined && ["Description", <Text key="what" of={described(c)} />],
  Boolean(at(c, "item", "privileged") ?? at(c, "what", "privileged")) && [
    "Privileged",
    <State key="p" of="high" words="privileged access" />,
  ],
  ["Ticket", words(c, "external_reference")],
  ["Conditions", list(at(c, "limits"))],
  ...answers(at(c, "form_answers")),
  ...answers(at(c, "parameters")),
  Number(at(c, "other_items") ?? 0) > 0 && ["Other items", `${words(c, "other_items")} more in the same request`],
  ["Approval rule", words(c, "rule", "matched_because") && `${words(c, "rule", "name")}: ${words(c, "rule", "matched_because")}`],
];

const described = (c: unknown) => words(c, "item", "description") ?? words(c, "what", "description");

const account: Tell = ({ context: c }) => [
  ["Account", words(c, "account", "name")],
  ["State", <State key="s" of={words(c, "account", "status")} />],
  ["Previous owner", at(c, "owner") ? <Who key="o" of={at(c, "owner")} /> : undefined],
  ["Orphaned since", Boolean(at(c, "since")) && <When key="since" at={words(c, "since")} />],
  ["Last sign-in", <When key="l" at={words(c, "account", "last_login_at")} none="not reported" />],
  ["Access", at(c, "account", "grants") !== undefined && `${words(c, "account", "grants")} grants`],
  at(c, "account", "privileged") === true && ["Privileged", <State key="p" of="high" words="privileged account" />],
  ["E-mail address", words(c, "account", "email")],
  ["Employee number", words(c, "account", "employee_number")],
  rows(c, "candidates").length > 0 && ["Candidates", <Candidates key="c" of={rows(c, "candidates")} />],
  ["Excluded", list(Object.entries((at(c, "cannot") ?? {}) as object).map(([what, why]) => `${sentence(what)}: ${why}`))],
];

const change: Tell = ({ context: c }) => [
  ["Task", <Text key="t" of={words(c, "what_to_do") ?? words(c, "by_hand")} />],
  ["System", words(c, "connector", "display")],
  ["Person", at(c, "identity") ? <Who key="w" of={at(c, "identity")} /> : undefined],
  ["Account", words(c, "account", "display")],
  ["Access", words(c, "entitlement", "display")],
  ["Response of the system", words(c, "error", "message")],
  ["Advice", words(c, "advice")],
  ["Attempts", at(c, "attempts") !== undefined && words(c, "attempts")],
];

const byKind: Record<string, Tell> = {
  request_approval: request,
  request_blocked: request,
  external_wait: request,
  emergency_review: (t) => [
    ...request(t),
    ["Item", words(t.context, "what")],
    ["Ends", words(t.context, "ends_at") && <When key="e" at={words(t.context, "ends_at")} />],
  ],
  account_correlation: account,
  orphan_account: account,
  manual_provisioning: change,
  provisioning_failure: change,
  native_grant: ({ context: c }) => [
    ["Person", at(c, "identity") ? <Who key="w" of={at(c, "identity")} /> : undefined],
    ["Access", words(c, "entitlement", "display")],
    ["Description", words(c, "entitlement_description")],
    ["System", words(c, "connector", "display")],
    ["Revoked", at(c, "ended_at") ? <When key="e" at={words(c, "ended_at")} /> : false],
    ["Reason", words(c, "end_reason")],
    ["Last used", <When key="u" at={words(c, "last_used_at")} none="not reported" />],
  ],
  role_proposal: ({ context: c }) => [
    ["Proposed by", words(c, "proposed_by", "display")],
    ["Current risk", <Risk key="b" of={words(c, "risk_before")} />],
    ["New risk", <Risk key="a" of={words(c, "risk_after")} />],
  ],
  sync_hold: ({ context: c }) => [
    ["System", words(c, "connector", "name")],
    ["Held", `${words(c, "held")} of ${words(c, "total")} changes`],
    ["Reason", list(rows(c, "holds").flatMap((h) => words(h, "cause") ?? []))],
    ["Discarded", <When key="x" at={words(c, "expires_at")} none="not" />],
  ],
  schema_diff: ({ context: c }) => [
    ["System", words(c, "connector", "name")],
    ["Open decisions", `${words(c, "undecided") ?? ""} fields`],
  ],
  pack_conflict: ({ context: c }) => [
    ["Pack", words(c, "pack_key")],
    ["Object", `${sentence(words(c, "kind") ?? "")} ${words(c, "object_key") ?? ""}`],
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
  if (!starts && !ends && !duration) return "no end date";
  return (
    <>
      {starts && (
        <>
          from <When at={starts} />{" "}
        </>
      )}
      {ends ? (
        <>
          until <When at={ends} />
        </>
      ) : (
        duration && `for ${durationText(duration)}`
      )}
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
