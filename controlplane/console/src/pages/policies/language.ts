import * as texts from "#text/policies";
/** A condition as the API has it. */
export type Rule = { field?: string; op: string; value?: unknown };
export type Group = { match: "all" | "any" | "none"; rules: Node[] };
export type Script = { expression: string };
export type Node = Rule | Group | Script;

export const isGroup = (n: Node): n is Group => "rules" in n;
export const isScript = (n: Node): n is Script => "expression" in n;

/** Everybody. */
export const matchAll: Group = { match: "all", rules: [] };

/** A condition as a group, whatever it was. */
export const asGroup = (c: unknown): Group => {
  const n = (c ?? matchAll) as Node;
  return typeof n === "object" && isGroup(n)
    ? n
    : typeof n === "object" && ("op" in n || isScript(n))
      ? { match: "all", rules: [n] }
      : matchAll;
};

export type Kind = "name" | "code" | "date" | "moment" | "many" | "flag" | "any" | "tree" | "role" | "access";

const people: [string, Kind, string[]][] = [
  ["department", "name", []],
  ["division", "name", []],
  ["organization", "name", []],
  ["title", "name", []],
  ["job_family", "name", []],
  ["location", "name", []],
  ["country", "name", []],
  ["employment_type", "code", ["employee", "contractor", "intern", "vendor", "partner", "student", "service", "other"]],
  ["status", "code", ["pre_hire", "active", "on_leave", "notice", "deactivated", "archived"]],
  ["kind", "code", ["human", "non_human"]],
  ["cost_center", "code", []],
  ["job_code", "code", []],
  ["manager", "tree", []],
  ["start_date", "date", []],
  ["hire_date", "date", []],
  ["termination_date", "date", []],
  ["leave_from", "date", []],
  ["leave_to", "date", []],
  ["last_working_at", "moment", []],
  ["status_changed_at", "moment", []],
  ["created_at", "moment", []],
  ["email", "name", []],
  ["username", "name", []],
  ["first_name", "name", []],
  ["last_name", "name", []],
  ["preferred_name", "name", []],
  ["display_name", "name", []],
  ["locale", "name", []],
  ["timezone", "name", []],
  ["employee_number", "code", []],
  ["external_id", "code", []],
  ["manager_id", "code", []],
  ["manager_external_id", "code", []],
  ["sponsor_id", "code", []],
  ["source_connector_id", "code", []],
  ["secondary_emails", "many", []],
  ["is_disabled", "flag", []],
];

const levels = ["low", "medium", "high", "critical"];
const requests: [string, Kind, string[]][] = [
  ["item.risk_level", "code", levels],
  ["item.privileged", "flag", []],
  ["item.type", "code", ["role", "entitlement"]],
  ["item.name", "name", []],
  ["item.kind", "name", []],
  ["item.tags", "many", []],
  ["item.environments", "many", []],
  ["item.connector_ids", "many", []],
  ["item.id", "code", []],
  ["request.kind", "code", ["grant", "extend", "revoke", "return"]],
  ["request.urgency", "code", ["normal", "emergency"]],
  ["request.duration_days", "any", []],
  ["request.permanent", "flag", []],
  ["request.for_self", "flag", []],
  ["request.by_integration", "flag", []],
  ["request.starts_at", "moment", []],
  ["request.ends_at", "moment", []],
  ["request.external_reference", "code", []],
  ["requester.department", "name", []],
  ["requester.division", "name", []],
  ["requester.organization", "name", []],
  ["requester.location", "name", []],
  ["requester.country", "name", []],
  ["requester.title", "name", []],
  ["requester.job_code", "code", []],
  ["requester.employment_type", "code", []],
  ["requester.id", "code", []],
  ["requester.manager_id", "code", []],
];

const accounts: [string, Kind, string[]][] = [
  ["account.last_login_at", "moment", []],
  ["account.password_last_set_at", "moment", []],
  ["account.status", "code", ["provisioning", "active", "disabled", "locked", "missing", "deprovisioning", "failed"]],
  ["account.is_disabled", "flag", []],
  ["account.is_locked", "flag", []],
  ["account.mfa_enrolled", "flag", []],
  ["account.privileged", "flag", []],
  ["account.account_type", "name", []],
  ["account.username", "name", []],
  ["account.connector_id", "code", []],
];
const grants: [string, Kind, string[]][] = [
  ["grant.last_used_at", "moment", []],
  ["grant.granted_at", "moment", []],
  ["grant.ends_at", "moment", []],
  ["grant.permanent", "flag", []],
  ["grant.status", "code", ["active", "pending", "ending", "revoking", "missing"]],
  ["grant.directness", "code", ["direct", "inherited"]],
  ["grant.entitlement", "name", []],
  ["grant.privileged", "flag", []],
  ["grant.risk_level", "code", levels],
  ["grant.entitlement_id", "code", []],
  ["grant.connector_id", "code", []],
];
const violations: [string, Kind, string[]][] = [
  ["violation.state", "code", ["open", "mitigated", "false_positive"]],
  ["violation.severity", "code", levels],
  ["violation.grade", "code", ["latent", "potential", "exercised_one", "exercised_both", "inside_role"]],
  ["violation.first_seen_at", "moment", []],
];

/** What conditions are about: people, requests, or what a stored query looks at. */
export type About = "people" | "requests" | "accounts" | "grants" | "violations";

export type Term = { name: string; kind: Kind; among: string[]; words: string };
const term = ([name, kind, among]: [string, Kind, string[]]): Term => ({
  name,
  kind,
  among,
  words: name.replace(/^\w+\./, "").replaceAll("_", " "),
});

/** What a condition can ask for, in groups: about people, and where it is about more, about that first. */
export const vocabulary = (about: About): [string, Term[]][] => {
  const of = (prefix: string) => requests.filter(([n]) => n.startsWith(prefix)).map(term);
  const person: [string, Term[]] = [texts.person, people.map(term)];
  switch (about) {
    case "people":
      return [person];
    case "requests":
      return [[texts.requestedItem, of("item.")], [texts.request, of("request.")], [texts.requester, of("requester.")], person];
    case "accounts":
      return [[texts.accountFields, accounts.map(term)], person];
    case "grants":
      return [[texts.grantFields, grants.map(term)], person];
    default:
      return [[texts.violationFields, violations.map(term)], person];
  }
};

/** The clause that an editor begins with. */
export const firstClause = (about: About): Rule =>
  ({
    people: { field: "department", op: "eq", value: "" },
    requests: { field: "item.risk_level", op: "eq", value: "high" },
    accounts: { field: "account.last_login_at", op: "after", value: "-P30D" },
    grants: { field: "grant.last_used_at", op: "after", value: "-P30D" },
    violations: { field: "violation.severity", op: "in", value: ["high", "critical"] },
  })[about];

const all = new Map([...people, ...requests, ...accounts, ...grants, ...violations].map((t) => [t[0], term(t)]));

/** What a field holds. Attributes and labels may hold anything. */
export const termOf = (field: string): Term => all.get(field) ?? { name: field, kind: "any", among: [], words: field };

const operators: Record<Kind, string[]> = {
  name: ["eq", "ne", "in", "not_in", "contains", "starts_with", "exists"],
  code: ["eq", "ne", "in", "not_in", "contains", "starts_with", "exists"],
  many: ["contains", "exists"],
  date: ["eq", "ne", "before", "after", "exists"],
  moment: ["before", "after", "exists"],
  flag: ["eq", "exists"],
  any: ["eq", "ne", "in", "not_in", "contains", "starts_with", "exists", "gt", "lt", "before", "after"],
  tree: ["in_tree", "exists"],
  role: ["has_role"],
  access: ["has_entitlement"],
};

export const opsOf = (kind: Kind): string[] => operators[kind];

export const opWords: Record<string, string> = {
  eq: texts.is,
  ne: texts.isNot,
  in: texts.isOneOf,
  not_in: texts.isNoneOf,
  contains: texts.contains,
  starts_with: texts.startsWith,
  exists: texts.exists,
  gt: texts.isMoreThan,
  lt: texts.isLessThan,
  before: texts.isBefore,
  after: texts.isAfter,
  in_tree: texts.isDirectlyOrIndirectly,
  has_role: texts.isHeld,
  has_entitlement: texts.isHeld,
};

/** The kind of what a rule asks for. */
export const kindOf = (r: Rule): Kind =>
  r.op === "has_role" ? "role" : r.op === "has_entitlement" ? "access" : termOf(r.field ?? "").kind;

/** A rule for another field, with as much of the old one as still fits. */
export function withField(r: Rule, field: string): Rule {
  if (field === "has_role" || field === "has_entitlement") return { op: field, value: "" };
  const kind = termOf(field).kind;
  const op = opsOf(kind).includes(r.op) && termOf(r.field ?? "").kind === kind ? r.op : (opsOf(kind)[0] ?? "eq");
  return withOperator({ field, op: r.op, value: kind === termOf(r.field ?? "").kind ? r.value : undefined }, op);
}

/** A rule with another operator; its value in the shape that this takes. */
export function withOperator(r: Rule, op: string): Rule {
  const flag = kindOf(r) === "flag";
  const many = op === "in" || op === "not_in";
  const was = Array.isArray(r.value) ? r.value : r.value === undefined || typeof r.value === "boolean" ? [] : [r.value];
  const value = op === "exists" || flag ? (typeof r.value === "boolean" ? r.value : true) : many ? was : (was[0] ?? "");
  return r.field === undefined ? { op, value } : { field: r.field, op, value };
}

/** A typed value as the API has it: of an attribute a number stays one. */
export const typedAs = (kind: Kind, text: string): unknown => (kind === "any" && /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text);

/** Whether what a pointer such as #/rules/0/value leads to is in a clause that has no value yet. */
export function unfinished(condition: unknown, pointer: string): boolean {
  let at: unknown = condition;
  for (const part of pointer.replace(/^#\/?/, "").split("/")) {
    if (isEmptyClause(at)) return true;
    at = at && typeof at === "object" ? (at as Record<string, unknown>)[part] : undefined;
  }
  return isEmptyClause(at);
}

const isEmptyClause = (of: unknown): boolean =>
  of !== null &&
  typeof of === "object" &&
  "value" in of &&
  (of.value === "" || (Array.isArray(of.value) && of.value.every((v) => v === "")));
