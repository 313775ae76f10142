import type { Grant, Of } from "../../api/types";
import { dayOf } from "../../kit/day";

export type Tone = "plain" | "odd" | "bad" | "soon";
/** One way by which somebody holds something: a role, a rule, a request, a group, or nothing but the system itself. */
export type Reason = { key: string; words: string; tone: Tone };

const kinds: Record<string, string> = {
  request: "Request",
  emergency: "Emergency access",
  manual: "Direct assignment",
  exception: "Exception",
  imported: "Accepted as found",
  certified: "Certified in a review",
};

/** What a reason is called. */
export function reasonOf(r: Of<"GrantReason">): Reason {
  if (r.effect === "deny") return { key: `deny ${r.source.id}`, words: `Denied: ${r.source.display}`, tone: "bad" };
  if (r.role) return { key: `role ${r.role.id}`, words: `Role: ${r.role.display}`, tone: "plain" };
  if (r.kind === "native") return { key: "native", words: "Found in the system", tone: "odd" };
  if (r.kind === "birthright" || r.kind === "policy" || r.kind === "role")
    return { key: `${r.kind} ${r.source.id}`, words: `${r.kind === "role" ? "Role" : "Policy"}: ${r.source.display}`, tone: "plain" };
  return { key: r.kind, words: kinds[r.kind] ?? r.kind, tone: "plain" };
}

/** The paths of an inherited grant: of each the entitlements from the one that is held directly to the one that is inherited. */
export const pathsOf = (g: Grant): string[][] => (g.paths ?? []).map((p) => p.entitlement_ids ?? []).filter((ids) => ids.length > 1);

/** By which ways a grant is held; names are those of what is held beside it, for the groups that bring it. */
export function reasonsOf(g: Grant, names: Map<string, string>): Reason[] {
  const ways = (g.reasons ?? []).filter((r) => r.state !== "ended").map(reasonOf);
  for (const path of g.paths ?? []) {
    const steps = (path.entitlement_ids ?? []).slice(0, -1);
    const words = steps.map((id) => names.get(id) ?? "another group").join(" → ");
    ways.push({ key: `in ${steps.join(" ")}`, words: `In: ${words || "another group"}`, tone: "plain" });
  }
  if (ways.length === 0) ways.push({ key: g.directness, words: g.directness === "inherited" ? "Inherited" : "No reason", tone: "plain" });
  const seen = new Set<string>();
  return ways.filter((w) => !seen.has(w.key) && seen.add(w.key));
}

const standings: Record<string, { words: string; tone: "ok" | "warn" | "bad" | "info" | "neutral" }> = {
  approved: { words: "approved", tone: "ok" },
  implied: { words: "from a policy or role", tone: "ok" },
  native: { words: "unmanaged", tone: "warn" },
  orphaned: { words: "orphan account", tone: "bad" },
  ending: { words: "ending", tone: "warn" },
};

/** What a grant stands on, in words. */
export function basisOf(g: Grant): { words: string; tone: "ok" | "warn" | "bad" | "info" | "neutral" } {
  if (g.reappeared) return { words: "reappeared", tone: "bad" };
  if (g.status === "failed") return { words: "provisioning failed", tone: "bad" };
  if (g.desired && !g.observed) return { words: "being provisioned", tone: "info" };
  if (g.status === "revoking") return { words: "being revoked", tone: "info" };
  if (g.compliance_status === "implied" && g.directness === "inherited" && (g.reasons ?? []).length === 0)
    return { words: "inherited", tone: "ok" };
  return standings[g.compliance_status ?? ""] ?? { words: String(g.status).replaceAll("_", " "), tone: "neutral" };
}

/** How a grant is drawn: what nobody gave is unusual, what has no owner or came back is a conflict. */
export function toneOf(g: Grant): Tone {
  if (g.reappeared || g.compliance_status === "orphaned" || g.reasons?.some((r) => r.effect === "deny" && r.state === "active"))
    return "bad";
  if (g.compliance_status === "native") return "odd";
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
  if (asOf.length === 10) return `on ${asOf}, at the end of the day`;
  return `on ${dayOf(asOf)} at ${new Date(asOf).toLocaleTimeString("en-GB")}`;
}
