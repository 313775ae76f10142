import * as text from "#text/people";
import { State } from "../../kit/state";

const words: Record<string, string> = {
  pre_hire: text.startsSoon,
  on_leave: text.onLeaveLower,
  notice: text.leavingLower,
  deactivated: text.hasLeft,
};

export const stateWords = (of: string) => words[of] ?? of;

/** The state of somebody, in the words of people. */
export function PersonState({ of }: { of: string }) {
  return <State of={of} words={stateWords(of)} tone={of === "deactivated" || of === "archived" ? "neutral" : toneOf(of)} />;
}

const toneOf = (of: string) => (of === "active" ? "ok" : of === "notice" ? "warn" : "info");
