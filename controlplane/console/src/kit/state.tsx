import { Ban, Check, CircleAlert, CircleDashed, CirclePause, Clock, LoaderCircle, type LucideIcon, TriangleAlert } from "lucide-react";
import * as text from "#text/kit";

type Tone = "neutral" | "ok" | "warn" | "bad" | "info";

const icons: Record<Tone, LucideIcon> = { neutral: CircleDashed, ok: Check, warn: TriangleAlert, bad: CircleAlert, info: Clock };
const special: Record<string, LucideIcon> = { paused: CirclePause, disabled: Ban, running: LoaderCircle, suspended: CirclePause };

const words: Record<Exclude<Tone, "neutral">, string> = {
  ok: "active succeeded approved fulfilled provisioned completed online connected linked healthy enabled delivered verified published done installed granted in_sync implied passed success current compliant",
  warn: "notice held partial degraded draining expiring warning disputed uncorrelated orphaned partially_approved partially_provisioned medium pending_approval needs_information overdue reappeared suspended drifted in_doubt waiting_for_person manual retrying paused_by_breaker missing cancel_requested throttled unverified deprecated unmanaged",
  bad: "failing error failed quarantined rejected offline revoked high critical refused broken denied expired discarded conflict unauthorized",
  info: "pending draft ready running on_leave pre_hire submitted queued open provisioning verifying scheduled invited claimed deferred planned registered testing bootstrapped in_progress proposed waiting snoozed low_confidence awaiting_approval in_approval",
};

const tones = new Map<string, Tone>(Object.entries(words).flatMap(([tone, all]) => all.split(" ").map((w) => [w, tone as Tone] as const)));

/** How serious a state is. */
export const toneOf = (state: string): Tone => tones.get(state) ?? "neutral";

/** A state: in colour, with a sign, and in words. tone and words where they are not the usual ones. */
export function State({ of, tone, words }: { of?: string | null; tone?: Tone; words?: string }) {
  if (!of) return null;
  const t = tone ?? toneOf(of);
  const Icon = special[of] ?? icons[t];
  return (
    <span className={`badge ${t}`}>
      <Icon aria-hidden size={12} /> {words ?? of.replaceAll("_", " ")}
    </span>
  );
}

/** How risky something is: low is not worth a colour. */
export function Risk({ of }: { of?: string | null }) {
  if (!of) return null;
  return <State of={of} tone={of === "low" ? "neutral" : of === "medium" ? "warn" : "bad"} words={text.ofValueRisk(of)} />;
}
