import * as text from "#text/packs";
import type { Of } from "../../api/types";

export type Pack = Of<"SectorPack">;
export type PlanItem = Of<"PackPlanItem">;

const kinds: Record<string, [string, string]> = {
  role: ["role", "roles"],
  birthright: ["birthright", "birthrights"],
  access_grant_policy: [text.accessPolicy, text.accessPolicies],
  lifecycle_policy: ["lifecycle", "lifecycles"],
  field_mapping: [text.fieldMapping, text.fieldMappings],
  duty_tag: ["duty", "duties"],
  role_duty: [text.dutyOfARole, text.dutiesOfRoles],
  sod_policy: [text.separationPolicy, text.separationPolicies],
  mitigation_policy: [text.mitigatingControl, text.mitigatingControls],
  certification_template: [text.reviewTemplate, text.reviewTemplates],
  approval_rule: [text.approvalRule, text.approvalRules],
  report_section: [text.reportSection, text.reportSections],
};

export const kindWords = (kind: string, count = 1) => kinds[kind]?.[count === 1 ? 0 : 1] ?? kind.replaceAll("_", " ");

const reasons: Record<string, string> = {
  kept_until_reviews: text.keptUntilReviews,
  kept_until_reports: text.keptUntilReports,
  unchanged: text.alreadyAsInThePack,
  already_there: text.alreadyExists,
  removed_by_tenant: text.deletedHereAndNotCreatedAgain,
  exists_already: text.anObjectOfYoursHasThis,
  changed_by_both: text.changedByYouAndByThe,
  changed_by_tenant: text.changedByYouSoItStays,
  in_use: text.usedByYourObjectsSoIt,
};

export const reasonWords = (of: string | null | undefined) => (of ? (reasons[of] ?? of.replaceAll("_", " ")) : "");

const missing: Record<string, string> = {
  no_connector: text.noSuchSystemIsConnected,
  connector_not_read: text.theSystemHasNotBeenSynced,
  no_entitlement: text.theSystemHasNoMatchingEntitlement,
  too_many: text.moreThan200MatchesSoThe,
  role_conflict: text.aRoleOfThePackIs,
  no_control: text.aControlOfThisNameWasDeleted,
  separation_of_duties: text.theRoleWouldViolateAnEnforced,
};

/** What something waits for, in words. */
export function waitsFor(w: Of<"PendingBinding">): string {
  const where = w.select?.connector ?? w.account;
  const system = where
    ? [where.tag && text.theTagTag(where.tag), where.type, where.vendor, where.business_id].filter(Boolean).join(", ")
    : "";
  const control = w.mitigation_policy ? text.theControlControl(w.mitigation_policy) : "";
  const what =
    w.select?.name ??
    w.select?.nameLike ??
    w.select?.external_id ??
    (w.account ? text.anAccount : w.role ? text.theRoleRole(w.role) : control);
  const place = w.row ? text.inRowOfTheTable(w.row) : w.required ? text.asARequirement : "";
  return `${what}${system ? text.inASystemWithSystem(system) : ""}${place}: ${missing[w.reason] ?? w.reason}`;
}

/** What a pack holds, in one line. */
export const holds = (contents: Record<string, number>) =>
  ["role", "birthright", "access_grant_policy", "approval_rule", "field_mapping", "sod_policy", "mitigation_policy"]
    .filter((k) => (contents[k] ?? 0) > 0)
    .map((k) => `${contents[k]} ${kindWords(k, contents[k])}`)
    .join(", ");

/** The versions to which an installation can be brought; the newest comes first, and no upgrade goes back. */
export function reachable(versions: string[], installed: string | undefined): string[] {
  const at = versions.indexOf(installed ?? "");
  return at < 0 ? versions : versions.slice(0, at + 1);
}
