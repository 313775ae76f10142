import * as text from "#text/separation";
import { formats, importedFile } from "#text/separationimport";
import type { Of } from "../../api/types";

export type Violation = Of<"Violation">;
export type Conflict = Of<"SeparationConflict">;
export type Source = Of<"AccessSource">;
export type Cure = Of<"ConflictCure">;

type Tone = "neutral" | "ok" | "warn" | "bad" | "info";

const pairs = <K extends string>(of: Record<K, string>) => Object.entries(of) as [K, string][];

export const severityOptions = pairs(text.severities);
export const gradeOptions = pairs(text.grades);
export const stateOptions = pairs(text.states);
export const kindOptions = pairs(text.kinds);
export const modeOptions = pairs(text.modes);

const word = (of: Record<string, string>, key: string) => of[key] ?? key.replaceAll("_", " ");

export const severityWords = (s: string) => word(text.severities, s);
export const gradeWords = (g: string) => word(text.grades, g);
export const stateWords = (s: string) => word(text.states, s);
export const kindWords = (k: string) => word(text.kinds, k);
export const modeWords = (m: string) => word(text.modes, m);
export const effectWords = (e: string) => word(text.effects, e);
export const sourceWords = (s: Pick<Source, "kind">) => word(text.sourceKinds, s.kind);

export const severityTone = (s: string): Tone => (s === "critical" || s === "high" ? "bad" : s === "medium" ? "warn" : "neutral");
export const gradeTone = (g: string): Tone =>
  g === "exercised_both" ? "bad" : g === "potential" ? "neutral" : g === "latent" ? "info" : "warn";
export const stateTone = (s: string): Tone => (s === "open" ? "bad" : s === "remediated" ? "ok" : s === "mitigated" ? "info" : "neutral");
export const modeTone = (m: string): Tone => (m === "enforce" ? "ok" : m === "shadow" ? "info" : "neutral");

/** The sides of a conflict in one line. */
export const sidesOf = (c: Conflict): string => c.sides.map((s) => s.label).join(text.and);

/** What a cure takes away, in one line. */
export const cureWords = (cure: Cure): string => text.cureOf(cure.remove.map((s) => s.name));

/** What tells a cure apart from others. */
export const cureKey = (cure: Cure): string => cure.remove.map((s) => s.id).join(" ");

/** Whether all that a cure takes away can be revoked: what is only asked for or ordered ends elsewhere. */
export const revocable = (cure: Cure): boolean => cure.remove.every((s) => s.kind === "grant");

/** Where a duty or policy comes from: a sector pack or a file; nothing for what people have written. */
export function originWords(of: unknown): string {
  const { kind, pack, name, format = "" } = (of ?? {}) as Record<string, string | undefined>;
  if (!kind || kind === "manual") return "";
  return kind === "import" ? importedFile(formats[format] ?? format) : text.packOf(pack ?? name ?? "");
}
