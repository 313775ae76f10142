import { State } from "../../kit/state";
import { gradeTone, gradeWords, modeTone, modeWords, severityTone, severityWords, stateTone, stateWords } from "./words";

export const Severity = ({ of }: { of: string }) => <State of={of} tone={severityTone(of)} words={severityWords(of)} />;
export const Grade = ({ of }: { of: string }) => <State of={of} tone={gradeTone(of)} words={gradeWords(of)} />;
export const ViolationState = ({ of }: { of: string }) => <State of={of} tone={stateTone(of)} words={stateWords(of)} />;
export const Mode = ({ of }: { of: string }) => <State of={of} tone={modeTone(of)} words={modeWords(of)} />;
