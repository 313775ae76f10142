type Tone = "ok" | "warn" | "bad" | "info" | "neutral";

const owners: Record<string, { words: string; tone: Tone }> = {
  linked: { words: "known", tone: "ok" },
  manual: { words: "named by a person", tone: "ok" },
  uncorrelated: { words: "nobody found", tone: "warn" },
  disputed: { words: "several possible", tone: "warn" },
  ignored: { words: "accepted without one", tone: "neutral" },
};

/** How it stands about the owner of an account. */
export const ownerWords = (state: string) => owners[state] ?? { words: state, tone: "neutral" as const };

const orphans: Record<string, string> = {
  owner_deactivated: "owner has left",
  owner_archived: "owner is archived",
  no_owner: "never had an owner",
  owner_unresolved: "owner is not decided",
};

/** Why an account is orphaned. */
export const orphanWords = (reason: string | null | undefined) => orphans[reason ?? ""] ?? "orphaned";

/** How sure a match is, in words. */
export function sureness(score: number): string {
  if (score >= 0.97) return "almost certain";
  if (score >= 0.9) return "very likely";
  if (score >= 0.7) return "likely";
  return score >= 0.5 ? "possible" : "unlikely";
}

const outcomes: Record<string, string> = {
  matched: "is the same",
  implied: "is the same, and already counted",
  not_matched: "differs",
  no_value: "is not known of both",
  vetoed: "forbids the match",
  passed: "does not forbid it",
};

/** What a rule said about an account and a person, in words. */
export const ruleWords = (rule: string, outcome: string) => `${rule.replaceAll("_", " ")} ${outcomes[outcome] ?? outcome}`;
