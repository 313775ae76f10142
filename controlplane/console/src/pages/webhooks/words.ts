import * as texts from "#text/webhooks";
import type { Of } from "../../api/types";

export type Webhook = Of<"Webhook">;
export type Delivery = Of<"Delivery">;
export type DeliveryDetail = Of<"DeliveryDetail">;

/** The formats of deliveries, with their names. */
export const formats = Object.entries(texts.formats) as [Webhook["format"], string][];

/** Whether a format is one of chat services, whose addresses are secret. */
export const isChat = (format: Webhook["format"]) => format === "teams" || format === "slack";

/** The state of a webhook in one word. */
export const stateOf = (w: Webhook) => (w.enabled ? (w.health.state === "failing" ? "failing" : "enabled") : "disabled");

/** Why it is in the state it is in; empty where all is well. */
export function why(w: Webhook): string {
  const h = w.health;
  if (h.state === "disabled")
    return h.disabled_by === "service"
      ? texts.disabledByTheServiceReasonSend(h.reason || texts.repeatedFailures)
      : h.reason || texts.disabledByAnAdministrator;
  if (h.state === "failing") return texts.failingOneAtATime(h.consecutive_failures);
  return "";
}

/** When the five attempts begin, in seconds after the first: the earliest and the latest. */
export const schedule: [number, number][] = [
  [0, 1],
  [60, 100],
  [420, 700],
  [2580, 4300],
  [19_872, 21_528],
];
export const window6h = 21_600;

/** Where a moment stands in the picture of an attempt timeline, 0 to 1: the first minutes have room too. */
export const placeOf = (seconds: number) => Math.min(1, Math.log1p(Math.max(0, seconds)) / Math.log1p(window6h));

/** A span in words. */
export function span(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return texts.roundMin(Math.round(seconds / 60));
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** The events that are there, in their groups and in their order. */
export function grouped<T extends { group: string }>(events: T[]): [string, T[]][] {
  const out = new Map<string, T[]>();
  for (const e of events) out.set(e.group, [...(out.get(e.group) ?? []), e]);
  return [...out];
}

/** Headers as they are typed, one in a line: Name: value. */
export function headersOf(text: string): Record<string, string> {
  const out: Record<string, string> = {};
  for (const line of text.split("\n")) {
    if (!line.trim()) continue;
    const at = line.indexOf(":");
    if (at < 1) throw new Error(`“${line.trim().slice(0, 40)}” is not a header. Use Name: value.`);
    out[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return out;
}
