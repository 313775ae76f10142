import * as text from "#text/mitigation";
import type { Of } from "../../api/types";
import { durationText } from "../../kit/duration";
import { asGroup, isGroup, isScript, type Node, opWords, termOf } from "../policies/language";

export type Control = Of<"MitigatingControl">;
export type ControlFields = Of<"MitigatingControlVersion">["content"];
export type Mitigation = Of<"Mitigation">;

const pairs = <K extends string>(of: Record<K, string>) => Object.entries(of) as [K, string][];

export const controlTypeOptions = pairs(text.controlTypes);
export const evidenceOptions: [string, string][] = [...pairs(text.evidenceKinds), ["none", text.noEvidence]];
export const severityOptions = pairs(text.severityChoices);

const word = (of: Record<string, string>, key: string) => of[key] ?? key.replaceAll("_", " ");

export const stateWords = (s: string) => word(text.states, s);
export const controlTypeWords = (t: string) => word(text.controlTypes, t);
export const verdictWords = (v: string) => word(text.verdicts, v);
export const endingWords = (r: string) => word(text.endings, r);

export const stateTone = (s: string) =>
  s === "active"
    ? "ok"
    : s === "evidence_due"
      ? "warn"
      : s === "evidence_overdue" || s === "lapsed"
        ? "bad"
        : s === "proposed"
          ? "info"
          : "neutral";

/** Which evidence a control needs, in one line: "file every 30 days". */
export const evidenceWords = ({ evidence: e }: Pick<ControlFields, "evidence">): string =>
  e?.required === false
    ? text.noEvidence
    : text.everyInterval(word(text.evidenceKinds, e?.kind ?? "attestation"), durationText(e?.cadence));

/** Which violations a control can be applied to, in one line. */
export const scopeWords = ({ applies_to: s }: Pick<ControlFields, "applies_to">): string => {
  const policies = s?.sod_policy_ids?.length ?? 0;
  const severities = (s?.severities ?? []).map((v) => word(text.severityChoices, v));
  return (
    [policies > 0 ? text.policiesCount(policies) : "", severities.length > 0 ? text.withSeverity(severities.join(", ")) : ""]
      .filter(Boolean)
      .join(", ") || text.allViolations
  );
};

/** Whether a mitigation is proposed or in force, so that it can be ended. */
export const isOpen = (m: Mitigation) => m.state === "proposed" || mitigates(m);

/** Whether a mitigation is in force. */
export const mitigates = (m: Mitigation) => m.state === "active" || m.state === "evidence_due" || m.state === "evidence_overdue";

export type StoredQuery = Of<"MitigatingControlQuery">;

/** What a query counts, in words. */
const conditionWords = (n: Node): string => {
  if (isScript(n)) return n.expression;
  if (!isGroup(n)) {
    const value = Array.isArray(n.value) ? n.value.join(", ") : String(n.value ?? "");
    return `${termOf(n.field ?? n.op).words} ${opWords[n.op] ?? n.op} ${value}`.trim();
  }
  const parts = n.rules.map(conditionWords);
  const joined = parts.join(n.match === "all" ? text.andJoin : text.orJoin);
  return n.match === "none" ? text.noneOf(joined) : joined;
};

/** A stored query in one line. */
export const queryWords = (q: StoredQuery): string =>
  text.queryInWords(
    text.queryAbouts[q.about],
    conditionWords(asGroup(q.condition)),
    q.expect === "at_most" ? text.expectsAtMost(q.at_most ?? 0) : text.queryExpects[q.expect],
  );

export const outcomeTone = (o: string) => (o === "passed" || o === "accepted" ? "ok" : o === "failed" || o === "rejected" ? "bad" : "warn");
