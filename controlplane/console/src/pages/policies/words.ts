import * as text from "#text/policies";
import type { Of } from "../../api/types";
import { replaceDurations } from "../../kit/duration";

type Policy = Pick<Of<"AccessPolicy">, "enabled" | "mode" | "tripped_at" | "effect">;

/** What a policy is doing now, in words and in colour. */
export function policyStatus(p: Policy): { words: string; tone: "neutral" | "ok" | "warn" | "bad" | "info" } {
  if (!p.enabled) return { words: text.offLower, tone: "neutral" };
  if (p.tripped_at) return { words: text.stoppedByCircuitBreaker, tone: "bad" };
  return p.mode === "enforce" ? { words: text.activeLower, tone: "ok" } : { words: text.dryRunLower, tone: "info" };
}

export const lifecycleStates = [
  ["pre_hire", text.beforeTheFirstDayLower],
  ["active", text.whileEmployed],
  ["on_leave", text.whileOnLeave],
  ["notice", text.duringNotice],
] as const;
export type LifecycleState = (typeof lifecycleStates)[number][0];

/** Why a breaker has stopped a policy: the service's words as a sentence, with lengths of time as people say them. */
export const stopReason = (reason: string | null | undefined) => (reason ? `${replaceDurations(reason).replace(/\.$/, "")}.` : "");
