import type { Of } from "../../api/types";
import { replaceDurations } from "../../kit/duration";

type Policy = Pick<Of<"AccessPolicy">, "enabled" | "mode" | "tripped_at" | "effect">;

/** What a policy is doing now, in words and in colour. */
export function policyStatus(p: Policy): { words: string; tone: "neutral" | "ok" | "warn" | "bad" | "info" } {
  if (!p.enabled) return { words: "off", tone: "neutral" };
  if (p.tripped_at) return { words: "stopped by circuit breaker", tone: "bad" };
  return p.mode === "enforce" ? { words: "active", tone: "ok" } : { words: "dry run", tone: "info" };
}

export const lifecycleStates = [
  ["pre_hire", "before the first day"],
  ["active", "while employed"],
  ["on_leave", "while on leave"],
  ["notice", "during notice"],
] as const;
export type LifecycleState = (typeof lifecycleStates)[number][0];

/** Why a breaker has stopped a policy: the service's words as a sentence, with lengths of time as people say them. */
export const stopReason = (reason: string | null | undefined) => (reason ? `${replaceDurations(reason).replace(/\.$/, "")}.` : "");
