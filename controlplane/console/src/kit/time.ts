const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** How long ago, or how soon, in words. */
export function relativeTime(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000;
  if (Number.isNaN(seconds)) return at;
  if (Math.abs(seconds) > 30 * 86_400) return at.slice(0, 10);
  const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) ?? ["second", 1];
  // Without the dot of "min.": the sentence around it may end there.
  return relative.format(Math.round(seconds / size), unit).replace(/(?<=[a-z])\.(?=\s|$)/, "");
}

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** The moment exactTime, as it is read: day, time and zone. */
export function exactTime(at: string): string {
  const when = new Date(at);
  return Number.isNaN(when.getTime()) ? at : moment.format(when);
}
