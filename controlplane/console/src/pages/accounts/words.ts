type Tone = "ok" | "warn" | "bad" | "info" | "neutral";

const owners: Record<string, { words: string; tone: Tone }> = {
  linked: { words: "known", tone: "ok" },
  manual: { words: "assigned by a person", tone: "ok" },
  uncorrelated: { words: "uncorrelated", tone: "warn" },
  disputed: { words: "disputed", tone: "warn" },
  ignored: { words: "accepted as unowned", tone: "neutral" },
};

/** How it stands about the owner of an account. */
export const ownerWords = (state: string) => owners[state] ?? { words: state, tone: "neutral" as const };

const orphans: Record<string, string> = {
  owner_deactivated: "owner has left",
  owner_archived: "owner is archived",
  no_owner: "never had an owner",
  owner_unresolved: "owner is disputed",
};

/** Why an account is orphaned. */
export const orphanWords = (reason: string | null | undefined) => orphans[reason ?? ""] ?? "orphaned";

/** How sure a match is, in words. */
export function confidenceText(score: number): string {
  if (score >= 0.97) return "almost certain";
  if (score >= 0.9) return "very likely";
  if (score >= 0.7) return "likely";
  return score >= 0.5 ? "possible" : "unlikely";
}

const outcomes: Record<string, string> = {
  matched: "matches",
  implied: "matches, and is already counted",
  not_matched: "differs",
  no_value: "has no value on one side",
  vetoed: "rules the person out",
  passed: "does not rule the person out",
};

/** What a rule said about an account and a person, in words. */
export const ruleWords = (rule: string, outcome: string) => `${rule.replaceAll("_", " ")} ${outcomes[outcome] ?? outcome}`;
