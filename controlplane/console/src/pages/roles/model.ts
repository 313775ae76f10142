import type { QueryClient } from "@tanstack/react-query";
import * as text from "#text/roles";
import type { Of } from "../../api/types";

export type Role = Of<"Role">;
export type Content = Of<"RoleFields">;
export type Draft = Of<"RoleDraft">;
export type Change = Of<"RoleChange">;

export const types = [
  ["business", text.business],
  ["birthright", text.businessRole],
  ["application", text.inOneSystem],
  ["technical", text.technical],
  ["emergency", text.emergencyAccess],
] as const;

export const risks = [
  ["low", text.low],
  ["medium", text.medium],
  ["high", text.high],
  ["critical", text.critical],
] as const;
type Risk = (typeof risks)[number][0];

const names: Record<string, string> = {
  entitlement_ids: text.entitlements,
  child_role_ids: text.includedRoles,
  owner_ids: text.owners,
  backup_owner_ids: text.backupOwners,
  membership_rule: text.membershipRule,
  membership_exclusions: text.excludedPeople,
  visible_to: text.visibleTo,
  requestable: text.requestable,
  max_duration: text.maximumDuration,
  default_duration: text.defaultDuration,
  approval_rule_id: text.approvalRule,
  risk_level: text.risk,
  role_type: text.kind,
  compliance_tags: text.complianceTags,
  duty_tags: text.dutyTags,
};

/** What a member of a role is called. */
export const nameOf = (field: string) => names[field] ?? field.charAt(0).toUpperCase() + field.slice(1).replaceAll("_", " ");

/** What of a role its owners write themselves. */
export const described = (r: Role | Content) => ({
  description: r.description ?? "",
  requestable: r.requestable ?? false,
  risk_level: r.risk_level ?? null,
  compliance_tags: r.compliance_tags ?? [],
  duty_tags: r.duty_tags ?? [],
  labels: r.labels ?? {},
});
export type Described = ReturnType<typeof described>;

/** As patchOf, of what owners write; labels that are not there any more become null. */
export function describedPatch(was: Described, is: Described) {
  const { labels, ...rest } = patchOf(was, is);
  if (!labels) return rest;
  const gone = Object.keys(was.labels).filter((name) => !(name in is.labels));
  return { ...rest, labels: { ...labels, ...Object.fromEntries(gone.map((name) => [name, null])) } };
}

/** The levels to which an owner may raise a role's risk. Of a role in use, from high on, somebody else has to agree: that is another way. */
export function risksFrom(level: string, inUse: boolean): (readonly [Risk, string])[] {
  const from = Math.max(
    0,
    risks.findIndex(([r]) => r === level),
  );
  return risks.filter(([r], i) => i === from || (i > from && !(inUse && (r === "high" || r === "critical"))));
}

/** What differs between what was and what is, as the body of a merge patch. */
export function patchOf<T extends object>(was: T, is: T): Partial<T> {
  const changed = Object.entries(is).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name as keyof T]));
  return Object.fromEntries(changed) as Partial<T>;
}

/** What of a role can be changed, out of all that is told of it. */
export function contentOf(r: Role | Content): Content {
  const kept: (keyof Content)[] = [
    "name",
    "description",
    "role_type",
    "entitlement_ids",
    "child_role_ids",
    "owner_ids",
    "backup_owner_ids",
    "membership_rule",
    "membership_exclusions",
    "requestable",
    "visible_to",
    "parameters",
    "max_duration",
    "default_duration",
    "approval_rule_id",
    "risk_level",
    "compliance_tags",
    "duty_tags",
    "labels",
  ];
  return Object.fromEntries(kept.filter((k) => r[k] !== undefined).map((k) => [k, r[k]])) as Content;
}

/** When roles were published here, by id. */
const published = new Map<string, number>();

/** How often the figures of a role are read again: people get it by its rule some time after it was published. */
export function figuresInterval(id: string, now = Date.now()): number | false {
  const age = now - (published.get(id) ?? Number.NEGATIVE_INFINITY);
  if (age < 60_000) return 2_000;
  return age < 600_000 ? 15_000 : false;
}

/** Has roles read again after one was published or its draft dropped: that draft is not there any more, and is not asked for. */
export function rereadRoles(queries: QueryClient, id: string) {
  published.set(id, Date.now());
  queries.setQueryData<Role>([`/entitlements/roles/${id}`, {}], (was) => was && { ...was, has_draft: false });
  return queries.invalidateQueries({
    predicate: (q) => /^\/(entitlements\/roles|decision-tasks)/.test(String(q.queryKey[0])) && !String(q.queryKey[0]).endsWith("/draft"),
  });
}
