import * as text from "#text/accounts";

type Tone = "ok" | "warn" | "bad" | "info" | "neutral";

const owners: Record<string, { words: string; tone: Tone }> = {
  linked: { words: text.known, tone: "ok" },
  manual: { words: text.assignedByAPerson, tone: "ok" },
  uncorrelated: { words: text.uncorrelatedLower, tone: "warn" },
  disputed: { words: text.disputedLower, tone: "warn" },
  ignored: { words: text.acceptedAsUnownedLower, tone: "neutral" },
};

/** How it stands about the owner of an account. */
export const ownerWords = (state: string) => owners[state] ?? { words: state, tone: "neutral" as const };

const orphans: Record<string, string> = {
  owner_deactivated: text.ownerHasLeft,
  owner_archived: text.ownerIsArchived,
  no_owner: text.neverHadAnOwner,
  owner_unresolved: text.ownerIsDisputed,
};

/** Why an account is orphaned. */
export const orphanWords = (reason: string | null | undefined) => orphans[reason ?? ""] ?? "orphaned";

/** How sure a match is, in words. */
export function confidenceText(score: number): string {
  if (score >= 0.97) return text.almostCertain;
  if (score >= 0.9) return text.veryLikely;
  if (score >= 0.7) return "likely";
  return score >= 0.5 ? "possible" : "unlikely";
}

const outcomes: Record<string, string> = {
  matched: text.matches,
  implied: text.matchesAndIsAlreadyCounted,
  not_matched: text.differs,
  no_value: text.hasNoValueOnOneSide,
  vetoed: text.rulesThePersonOut,
  passed: text.doesNotRuleThePersonOut,
};

/** What a rule said about an account and a person, in words. */
export const ruleWords = (rule: string, outcome: string) => `${rule.replaceAll("_", " ")} ${outcomes[outcome] ?? outcome}`;
