import type { Of } from "../../api/types";

export type Pack = Of<"SectorPack">;
export type PlanItem = Of<"PackPlanItem">;

const kinds: Record<string, [string, string]> = {
  role: ["role", "roles"],
  birthright: ["birthright", "birthrights"],
  access_grant_policy: ["access policy", "access policies"],
  lifecycle_policy: ["lifecycle", "lifecycles"],
  field_mapping: ["field mapping", "field mappings"],
  duty_tag: ["duty", "duties"],
  sod_policy: ["separation-of-duties rule", "separation-of-duties rules"],
  mitigation_policy: ["mitigation", "mitigations"],
  certification_template: ["review template", "review templates"],
  approval_rule: ["approval rule", "approval rules"],
  report_section: ["report section", "report sections"],
};

export const kindWords = (kind: string, count = 1) => kinds[kind]?.[count === 1 ? 0 : 1] ?? kind.replaceAll("_", " ");

const reasons: Record<string, string> = {
  kind_not_supported_yet: "this kind is not supported yet; the object is kept with the installation",
  unchanged: "already as in the pack",
  already_there: "already exists",
  removed_by_tenant: "deleted here, and not created again",
  exists_already: "an object of yours has this name and stays unchanged",
  changed_by_both: "changed by you and by the pack; your version stays",
  changed_by_tenant: "changed by you, so it stays",
  in_use: "used by your objects, so it stays and becomes yours",
};

export const reasonWords = (of: string | null | undefined) => (of ? (reasons[of] ?? of.replaceAll("_", " ")) : "");

const missing: Record<string, string> = {
  no_connector: "no such system is connected",
  connector_not_read: "the system has not been synced yet",
  no_entitlement: "the system has no matching entitlement",
  too_many: "more than 200 matches, so the condition is too broad",
  role_conflict: "a role of the pack is in conflict",
};

/** What something waits for, in words. */
export function waitsFor(w: Of<"PendingBinding">): string {
  const where = w.select?.connector ?? w.account;
  const system = where ? [where.tag && `the tag ${where.tag}`, where.type, where.vendor, where.business_id].filter(Boolean).join(", ") : "";
  const what =
    w.select?.name ?? w.select?.nameLike ?? w.select?.external_id ?? (w.account ? "an account" : w.role ? `the role ${w.role}` : "");
  return `${what}${system ? ` in a system with ${system}` : ""}: ${missing[w.reason] ?? w.reason}`;
}

/** What a pack holds, in one line. */
export const holds = (contents: Record<string, number>) =>
  ["role", "birthright", "access_grant_policy", "approval_rule", "field_mapping", "sod_policy"]
    .filter((k) => (contents[k] ?? 0) > 0)
    .map((k) => `${contents[k]} ${kindWords(k, contents[k])}`)
    .join(", ");

/** The versions to which an installation can be brought; the newest comes first, and no upgrade goes back. */
export function reachable(versions: string[], installed: string | undefined): string[] {
  const at = versions.indexOf(installed ?? "");
  return at < 0 ? versions : versions.slice(0, at + 1);
}
