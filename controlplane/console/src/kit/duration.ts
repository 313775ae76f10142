import * as texts from "#text/kit";
/** A length of time as the API has it (ISO 8601, of weeks, days, hours, minutes and seconds), in seconds; undefined when it is none. */
export function durationSeconds(text: string | null | undefined): number | undefined {
  const m = /^P(?:(\d+)W|(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?)$/.exec(text ?? "");
  if (!m || m.slice(1).every((p) => p === undefined)) return undefined;
  const [w = 0, d = 0, h = 0, min = 0, s = 0] = m.slice(1).map((p) => Number(p ?? 0));
  return ((w * 7 + d) * 24 + h) * 3600 + min * 60 + s;
}

const units = [
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

export type DurationUnit = (typeof units)[number][0];

/**
 * Seconds in the largest unit, from minutes to days, of which there is at least one. round makes a whole or a short number of it. Undefined
 * below a minute.
 */
export function inLargestUnit(seconds: number, round: (n: number) => number): string | undefined {
  const unit = units.find(([name, size]) => name !== "week" && name !== "second" && seconds >= size);
  return unit && texts.durations[unit[0]](round(seconds / unit[1]));
}

/** A length of time in words: P1DT12H is "1 day and 12 hours". What is no length of time stays as it is. */
export function durationText(text: string | null | undefined): string {
  const all = durationSeconds(text);
  if (all === undefined) return text ?? "";
  if (all === 0) return texts.noDuration;
  const parts: string[] = [];
  let left = all;
  for (const [name, size] of units.slice(1)) {
    const n = Math.floor(left / size);
    left -= n * size;
    if (n > 0) parts.push(texts.durations[name](n));
  }
  return texts.durationList(parts);
}

/** A sentence of the service with the lengths of time in it in words: "at most PT4H" is "at most 4 hours". */
export const replaceDurations = (text: string) => text.replace(/\bP(?=[T\d])[\dDWTHMS]+\b/g, (span) => durationText(span));

/** A length of time as one number and its unit; undefined when it needs several. */
export function durationParts(text: string): { n: number; unit: DurationUnit } | undefined {
  const all = durationSeconds(text);
  if (!all) return undefined;
  const days = /W/.test(text) ? units : units.slice(1);
  const [unit, size] = days.find(([, s]) => all % s === 0) ?? ["second", 1];
  return { n: all / size, unit };
}

/** Writes a number of a unit as the API wants it. */
export function isoDuration(n: number, unit: DurationUnit): string {
  if (unit === "week") return `P${n}W`;
  return unit === "day" ? `P${n}D` : `PT${n}${unit[0]?.toUpperCase()}`;
}
