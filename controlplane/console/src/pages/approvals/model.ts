import * as text from "#text/approvals";
import type { Of } from "../../api/types";

export type Resolver = {
  kind: string;
  level?: number;
  identity_id?: string;
  role_id?: string;
  app_role?: string;
  schedule_id?: string;
  text?: string;
  from?: unknown;
};
export type ApproverGroup = { mode: "any" | "all" | "quorum"; quorum?: number; approvers: Resolver[] };
export type Escalation = { after: string; action: string; to?: Resolver[]; rule_id?: string };
export type Wait = {
  kind: "condition" | "duration" | "time_of_day" | "external";
  duration?: string;
  at?: string;
  tz?: string;
  condition?: unknown;
  timeout?: string;
  on_timeout?: "continue" | "reject";
};
export type Window = { days?: string[]; from?: string; to?: string; tz?: string };
export type Stage = {
  name: string;
  groups: ApproverGroup[];
  respond_within: string;
  reminders?: string[];
  escalation?: Escalation[];
  fallback?: Resolver[];
  calendar_id?: string;
  require_comment?: "none" | "reject" | "approve" | "both";
  allow_delegation?: boolean;
  allow_reassign?: boolean;
  reassign_allow_list?: string[];
  wait?: Wait;
  decision_window?: Window;
};
export type Outcome = { kind: "chain" | "auto_approve" | "auto_reject" | "use_rule"; reason?: string; rule_id?: string; stages?: Stage[] };
export type Branch = { when?: unknown; outcome: Outcome };

/** A rule as it is written. */
export type Draft = {
  name: string;
  description: string;
  priority: number;
  enabled: boolean;
  applies_to: {
    default?: boolean;
    role_ids: string[];
    entitlement_ids: string[];
    connector_ids: string[];
    tags: string[];
    risk_levels: ("low" | "medium" | "high" | "critical")[];
    request_kinds: ("grant" | "extend" | "revoke" | "return")[];
  };
  branches: Branch[];
  request_ttl: string;
  require_justification: boolean;
  require_external_reference: boolean;
  allow_self_approval: boolean;
  distinct_approvers: boolean;
  grant: {
    max_duration?: string;
    default_duration?: string;
    allow_permanent?: boolean;
    extension?: { allowed?: boolean; needs_approval?: boolean; max?: string };
  };
  emergency: { allowed?: boolean; max_duration?: string; post_review_within?: string; rule_id?: string };
};

export const newStage = (name = text.manager, kind = "manager"): Stage => ({
  name,
  groups: [{ mode: "any", approvers: [{ kind }] }],
  respond_within: "P3D",
});

/** A rule to be written, from one that is kept. */
export function draftOf(r?: Of<"ApprovalRuleFields">): Draft {
  const a = r?.applies_to;
  return {
    name: r?.name ?? "",
    description: r?.description ?? "",
    priority: r?.priority ?? 100,
    enabled: r?.enabled ?? true,
    applies_to: {
      default: a?.default ?? false,
      role_ids: a?.role_ids ?? [],
      entitlement_ids: a?.entitlement_ids ?? [],
      connector_ids: a?.connector_ids ?? [],
      tags: a?.tags ?? [],
      risk_levels: a?.risk_levels ?? [],
      request_kinds: a?.request_kinds ?? [],
    },
    branches: (r?.branches as Branch[] | undefined) ?? [{ outcome: { kind: "chain", stages: [newStage()] } }],
    request_ttl: r?.request_ttl ?? "P14D",
    require_justification: r?.require_justification ?? true,
    require_external_reference: r?.require_external_reference ?? false,
    allow_self_approval: r?.allow_self_approval ?? false,
    distinct_approvers: r?.distinct_approvers ?? true,
    grant: (r?.grant as Draft["grant"] | undefined) ?? {},
    emergency: (r?.emergency as Draft["emergency"] | undefined) ?? {},
  };
}

/** Takes out what was left empty: an empty text is no length of time. */
export function withoutEmpty<T>(v: T): T {
  if (Array.isArray(v)) return v.map(withoutEmpty) as T;
  if (v === null || typeof v !== "object") return v;
  return Object.fromEntries(
    Object.entries(v)
      .filter(([, x]) => x !== undefined && x !== "" && x !== null)
      .map(([n, x]) => [n, withoutEmpty(x)]),
  ) as T;
}

/** A written rule as the API takes it. A merge patch takes members out by null, and lists as a whole. */
export function bodyOf(d: Draft, patch = false) {
  const { description, grant, emergency, applies_to, ...rest } = d;
  const gone = (all: string[], of: object) =>
    patch ? { ...Object.fromEntries(all.map((n) => [n, null])), ...withoutEmpty(of) } : withoutEmpty(of);
  const extension = grant.extension ? { extension: gone(["allowed", "needs_approval", "max"], grant.extension) } : {};
  return {
    ...withoutEmpty(rest),
    description,
    applies_to: { ...applies_to, default: applies_to.default ?? false },
    grant: { ...gone(["max_duration", "default_duration", "allow_permanent"], { ...grant, extension: undefined }), ...extension },
    emergency: gone(["max_duration", "post_review_within", "rule_id"], emergency),
  };
}

export const resolverKinds: [string, string][] = [
  ["manager", text.theManagerLower],
  ["resource_owner", text.ownersOfTheRequestedAccessLower],
  ["role_owner", text.ownersOfTheRole],
  ["entitlement_owner", text.ownersOfTheEntitlement],
  ["sponsor", text.theSponsor],
  ["identity", text.aPerson],
  ["group", text.holdersOfARole],
  ["app_role", text.usersWithARoleInGrantwrightLower],
  ["on_call", text.personOnCallLower],
  ["requester_choice", text.peopleChosenByTheRequesterLower],
  ["expression", text.peopleFoundByAnExpression],
  ["connector_owner", text.ownersOfTheSystemNotAvailable],
];

const appRoles: Record<string, string> = {
  admin: text.anyAdministrator,
  manager: text.anyManager,
  resource_owner: text.anyResourceOwner,
  auditor: text.anyAuditor,
};

/** Whom a resolver names, in a few words. */
export function resolverWords(r: Resolver, names: (id: string) => string = () => ""): string {
  switch (r.kind) {
    case "manager":
      return (r.level ?? 1) > 1 ? text.theManagerLevelLevelsUp(r.level) : text.theManager;
    case "identity":
      return names(r.identity_id ?? "") || text.noPersonSelected;
    case "group":
      return text.membersOfNames(names(r.role_id ?? "") || text.aRole);
    case "app_role":
      return appRoles[r.app_role ?? ""] ?? text.usersWithARoleInGrantwright;
    case "on_call":
      return names(r.schedule_id ?? "") ? text.personOnCallNames(names(r.schedule_id ?? "")) : text.personOnCall;
    case "requester_choice":
      return text.peopleChosenByTheRequester;
    case "expression":
      return text.peopleFoundByTheExpression;
    default: {
      const words = resolverKinds.find(([k]) => k === r.kind)?.[1] ?? r.kind;
      return words.charAt(0).toUpperCase() + words.slice(1);
    }
  }
}

/** Whether a resolver can find several people. */
export const namesSeveral = (r: Resolver) => !["manager", "sponsor", "identity", "on_call"].includes(r.kind);

export const actions: [string, string][] = [
  ["add", text.alsoAskThesePeople],
  ["replace", text.reassignToThesePeople],
  ["skip", text.skipTheStep],
  ["approve", text.approveTheStep],
  ["reject", text.refuse],
  ["use_rule", text.useAnotherApprovalRule],
];
