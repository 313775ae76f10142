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

export const newStage = (name = "Manager", kind = "manager"): Stage => ({
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
  ["manager", "the manager"],
  ["resource_owner", "owners of the requested access"],
  ["role_owner", "owners of the role"],
  ["entitlement_owner", "owners of the entitlement"],
  ["sponsor", "the sponsor"],
  ["identity", "a person"],
  ["group", "holders of a role"],
  ["app_role", "users with a role in Grantwright"],
  ["on_call", "person on call"],
  ["requester_choice", "people chosen by the requester"],
  ["expression", "people found by an expression"],
  ["connector_owner", "owners of the system (not available yet)"],
];

const appRoles: Record<string, string> = {
  admin: "Any administrator",
  manager: "Any manager",
  resource_owner: "Any resource owner",
  auditor: "Any auditor",
};

/** Whom a resolver names, in a few words. */
export function resolverWords(r: Resolver, names: (id: string) => string = () => ""): string {
  switch (r.kind) {
    case "manager":
      return (r.level ?? 1) > 1 ? `The manager, ${r.level} levels up` : "The manager";
    case "identity":
      return names(r.identity_id ?? "") || "No person selected";
    case "group":
      return `Members of ${names(r.role_id ?? "") || "a role"}`;
    case "app_role":
      return appRoles[r.app_role ?? ""] ?? "Users with a role in Grantwright";
    case "on_call":
      return `Person on call${names(r.schedule_id ?? "") ? `: ${names(r.schedule_id ?? "")}` : ""}`;
    case "requester_choice":
      return "People chosen by the requester";
    case "expression":
      return "People found by the expression";
    default: {
      const words = resolverKinds.find(([k]) => k === r.kind)?.[1] ?? r.kind;
      return words.charAt(0).toUpperCase() + words.slice(1);
    }
  }
}

export const actions: [string, string][] = [
  ["add", "also ask these people"],
  ["replace", "reassign to these people"],
  ["skip", "skip the step"],
  ["approve", "approve the step"],
  ["reject", "refuse"],
  ["use_rule", "use another approval rule"],
];
