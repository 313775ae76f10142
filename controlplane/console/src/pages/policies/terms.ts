import * as text from "#text/policies";
import type { Of } from "../../api/types";
import { durationText } from "../../kit/duration";

/** The days on which a window can start, in the order of a week. */
export type Day = "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun";

export const dayNames: readonly (readonly [Day, string])[] = [
  ["mon", text.mon],
  ["tue", text.tue],
  ["wed", text.wed],
  ["thu", text.thu],
  ["fri", text.fri],
  ["sat", text.sat],
  ["sun", text.sun],
];

export const employmentTypes = ["employee", "contractor", "intern", "vendor", "partner", "student", "service", "other"];

/** Constraints as they are typed: an empty text is none. */
export type Constraints = {
  maxDuration: string;
  justification: boolean;
  reference: boolean;
  mfa: boolean;
  employmentTypes: string[];
  countries: string;
  training: string;
  manager: boolean;
};

export type Window = { days: Day[]; starts: string; ends: string };

/** A schedule as it is typed. Its moments are those of the browser. */
export type Schedule = { from: string; to: string; weekly: Window[] };

export const constraintsOf = (c?: Of<"PolicyConstraints">): Constraints => ({
  maxDuration: c?.max_duration ?? "",
  justification: c?.requires_justification ?? false,
  reference: c?.requires_external_reference ?? false,
  mfa: c?.requires_mfa ?? false,
  employmentTypes: c?.employment_types ?? [],
  countries: (c?.countries ?? []).join(", "),
  training: c?.needs_training ?? "",
  manager: c?.needs_manager ?? false,
});

/** What the API takes of constraints. What belongs to requests alone is left out where the policy is not about requests. */
export const constraintsBody = (c: Constraints, effect: string) => {
  const requests = effect === "eligible";
  const people = effect !== "deny";
  return {
    max_duration: requests && c.maxDuration ? c.maxDuration : null,
    requires_justification: requests && c.justification,
    requires_external_reference: requests && c.reference,
    requires_mfa: requests && c.mfa,
    employment_types: people ? c.employmentTypes : [],
    countries: people ? words(c.countries) : [],
    needs_training: people && c.training.trim() ? c.training.trim() : null,
    needs_manager: people && c.manager,
  };
};

const words = (of: string) =>
  of
    .split(",")
    .map((w) => w.trim())
    .filter(Boolean);

/** A schedule as the API has it. */
export type KeptSchedule = NonNullable<Of<"PolicyFields">["schedule"]>;

export const scheduleOf = (s?: KeptSchedule | null): Schedule => ({
  from: local(s?.from),
  to: local(s?.to),
  weekly: (s?.weekly ?? []).map((w) => ({ days: w.days as Day[], starts: w.starts, ends: w.ends })),
});

/** What the API takes of a schedule: null where nothing was set. */
export const scheduleBody = (s: Schedule) =>
  s.from || s.to || s.weekly.length ? { from: moment(s.from), to: moment(s.to), weekly: s.weekly } : null;

/** A moment as a field of date and time has it, in the zone of the browser. */
const local = (at: string | null | undefined) => {
  if (!at) return "";
  const t = new Date(at);
  return new Date(t.getTime() - t.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const moment = (typed: string) => (typed ? new Date(typed).toISOString() : null);

/** The constraints of a policy in words, one by one. */
export const constraintWords = (c?: Of<"PolicyConstraints">): string[] =>
  [
    c?.max_duration ? text.atMost(durationText(c.max_duration)) : "",
    c?.requires_justification ? text.requiresAJustification : "",
    c?.requires_external_reference ? text.requiresATicket : "",
    c?.requires_mfa ? text.requiresASecondFactor : "",
    c?.employment_types?.length ? text.employmentTypesAre(c.employment_types.join(", ")) : "",
    c?.countries?.length ? text.countriesAre(c.countries.join(", ")) : "",
    c?.needs_training ? text.trainingIs(c.needs_training) : "",
    c?.needs_manager ? text.needsAManager : "",
  ].filter(Boolean);

/** A weekly window in words: "Mon, Tue 08:00–18:00". */
export const windowWords = (w: { days: string[]; starts: string; ends: string }) =>
  `${dayNames
    .filter(([d]) => w.days.includes(d))
    .map(([, name]) => name)
    .join(", ")} ${w.starts}–${w.ends}`;
