import * as text from "#text/people";
import type { Grant, Of } from "../../api/types";
import { dayOf } from "../../kit/day";

export type Tone = "plain" | "odd" | "bad" | "soon";
/** One way by which somebody holds something: a role, a rule, a request, a group, or nothing but the system itself. */
export type Reason = { key: string; words: string; tone: Tone };

const kinds: Record<string, string> = {
  request: text.request,
  emergency: text.emergencyAccess,
  manual: text.directAssignment,
  exception: text.exception,
  imported: text.acceptedAsFound,
  certified: text.certifiedInAReview,
};

/** What a reason is called. */
export function reasonOf(r: Of<"GrantReason">): Reason {
  if (r.effect === "deny") return { key: `deny ${r.source.id}`, words: text.deniedSource(r.source.display), tone: "bad" };
  if (r.role) return { key: `role ${r.role.id}`, words: text.roleRole(r.role.display), tone: "plain" };
  if (r.kind === "native") return { key: "native", words: text.foundInTheSystem, tone: "odd" };
  if (r.kind === "birthright" || r.kind === "policy" || r.kind === "role")
    return {
      key: `${r.kind} ${r.source.id}`,
      words: `${r.kind === "role" ? text.role : text.policy}: ${r.source.display}`,
      tone: "plain",
    };
  return { key: r.kind, words: kinds[r.kind] ?? r.kind, tone: "plain" };
}

/** The paths of an inherited grant: of each the entitlements from the one that is held directly to the one that is inherited. */
export const pathsOf = (g: Grant): string[][] => (g.paths ?? []).map((p) => p.entitlement_ids ?? []).filter((ids) => ids.length > 1);

/** Access that was given in the system itself after the first import, and that nobody has accepted: what came before is no finding. */
export const isUnmanaged = (g: Grant) => g.compliance_status === "native" && g.review_state === "unmanaged";

/** By which ways a grant is held; names are those of what is held beside it, for groups that a path does not name. */
export function reasonsOf(g: Grant, names: Map<string, string>): Reason[] {
  const reasons = (g.reasons ?? [])
    .filter((r) => r.state !== "ended")
    .map(reasonOf)
    .map((r): Reason => (r.tone === "odd" && !isUnmanaged(g) ? { ...r, tone: "plain" } : r));
  for (const path of g.paths ?? []) {
    const steps = (path.entitlement_ids ?? []).slice(0, -1);
    const named = new Map((path.steps ?? []).map((s) => [s.id, s.display]));
    const words = steps.map((id) => named.get(id) || names.get(id) || text.anotherGroup).join(" → ");
    reasons.push({ key: `in ${steps.join(" ")}`, words: text.inWords(words || text.anotherGroup), tone: "plain" });
  }
  if (reasons.length === 0)
    reasons.push({ key: g.directness, words: g.directness === "inherited" ? text.inherited : text.noReason, tone: "plain" });
  const seen = new Set<string>();
  return reasons.filter((w) => !seen.has(w.key) && seen.add(w.key));
}

const standings: Record<string, { words: string; tone: "ok" | "warn" | "bad" | "info" | "neutral" }> = {
  approved: { words: text.approved, tone: "ok" },
  implied: { words: text.fromAPolicyOrRole, tone: "ok" },
  native: { words: text.unmanaged, tone: "neutral" },
  orphaned: { words: text.orphanAccount, tone: "bad" },
  ending: { words: text.ending, tone: "warn" },
};

const reviews: Record<string, { words: string; tone: "ok" | "warn" | "neutral" }> = {
  found_at_first_import: { words: text.foundAtFirstImport, tone: "neutral" },
  unmanaged: { words: text.unmanaged, tone: "warn" },
  accepted: { words: text.acceptedAsFoundLower, tone: "ok" },
};

/** What a grant stands on, in words. */
export function basisOf(g: Grant): { words: string; tone: "ok" | "warn" | "bad" | "info" | "neutral" } {
  if (g.reappeared) return { words: text.reappeared, tone: "bad" };
  if (g.status === "failed") return { words: text.provisioningFailed, tone: "bad" };
  if (g.desired && !g.observed) return { words: text.beingProvisioned, tone: "info" };
  if (g.status === "revoking") return { words: text.beingRevoked, tone: "info" };
  if (g.compliance_status === "implied" && g.directness === "inherited" && (g.reasons ?? []).length === 0)
    return { words: text.inheritedLower, tone: "ok" };
  const review = g.compliance_status === "native" ? reviews[g.review_state ?? ""] : undefined;
  return review ?? standings[g.compliance_status ?? ""] ?? { words: String(g.status).replaceAll("_", " "), tone: "neutral" };
}

/** How a grant is drawn: what was given outside is unusual, what has no owner or came back is a conflict. */
export function toneOf(g: Grant): Tone {
  if (g.reappeared || g.compliance_status === "orphaned" || g.reasons?.some((r) => r.effect === "deny" && r.state === "active"))
    return "bad";
  if (isUnmanaged(g)) return "odd";
  return g.compliance_status === "ending" || (g.desired && !g.observed) ? "soon" : "plain";
}

/** Whether a grant has something to do with what is searched for. */
export function matches(g: Grant, q: string): boolean {
  const words = [g.entitlement.display, g.account.display, ...(g.reasons ?? []).map((r) => reasonOf(r).words)].join(" ").toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((w) => words.includes(w));
}

/** A day, or an instant, in words: a day means its end. */
export function dayWords(asOf: string): string {
  if (asOf.length === 10) return text.onAsOfAtTheEnd(asOf);
  return text.onAsOfAtToLocale(dayOf(asOf), new Date(asOf).toLocaleTimeString("en-GB"));
}
