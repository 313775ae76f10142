import * as text from "#text/people";
import type { Of } from "../../api/types";

export type FieldKind = "text" | "email" | "date" | "datetime-local" | "select" | "manager" | "person";
/** One member of a person's record: its name in the API, how it is called, and how it is filled in. */
export type Field = { name: string; words: string; kind?: FieldKind; options?: readonly (readonly [string, string])[]; hint?: string };

const employment = ["employee", "contractor", "intern", "vendor", "partner", "student", "service", "other"].map((v) => [v, v] as const);

export const groups: { title: string; fields: Field[] }[] = [
  {
    title: text.personalData,
    fields: [
      { name: "first_name", words: text.firstName },
      { name: "middle_name", words: text.middleName },
      { name: "last_name", words: text.lastName },
      { name: "preferred_name", words: text.preferredName },
      { name: "display_name", words: text.displayName, hint: text.firstAndLastNameIfEmpty },
      { name: "email", words: text.eMail, kind: "email" },
      { name: "username", words: text.login },
      { name: "employee_number", words: text.employeeNumber },
    ],
  },
  {
    title: text.employment,
    fields: [
      { name: "employment_type", words: text.employmentType, kind: "select", options: employment },
      { name: "title", words: text.title },
      { name: "department", words: text.department },
      { name: "division", words: text.division },
      { name: "organization", words: text.organization },
      { name: "cost_center", words: text.costCenter },
      { name: "job_code", words: text.jobCode },
      { name: "job_family", words: text.jobFamily },
      { name: "location", words: text.location },
      { name: "country", words: text.country, hint: text.twoLettersSuchAsCh },
      { name: "locale", words: text.language },
      { name: "timezone", words: text.timeZone, hint: text.suchAsEuropeZurich },
    ],
  },
  {
    title: text.responsiblePeople,
    fields: [
      { name: "manager_external_id", words: text.manager, kind: "manager" },
      { name: "sponsor_id", words: text.sponsor, kind: "person", hint: text.requiredForNonEmployeesAndMachines },
      {
        name: "backup_owner_id",
        words: text.backupSponsor,
        kind: "person",
        hint: text.replacesTheSponsorAndTakesOver,
      },
    ],
  },
  {
    title: text.dates,
    fields: [
      { name: "hire_date", words: text.hireDate, kind: "date" },
      { name: "start_date", words: text.firstDay, kind: "date" },
      { name: "termination_date", words: text.lastDay, kind: "date" },
      { name: "leave_from", words: text.leaveFrom, kind: "date" },
      { name: "leave_to", words: text.leaveTo, kind: "date" },
    ],
  },
];

/** How a member is called. */
export function wordsOf(name: string): string {
  const own = groups.flatMap((g) => g.fields).find((f) => f.name === name);
  return own?.words ?? name.replace(/^attributes\./, "").replaceAll("_", " ");
}

/** Whether a field names the manager. */
export const isManager = (field: string) => field === "manager" || field === "manager_external_id";

/**
 * The source of a field. A manager that a source names counts as that source's, whichever of the members about the manager is asked for:
 * only what a user has pinned was set by a user.
 */
export function sourceOf(p: Of<"IdentityDetail">, field: string, own: Of<"AttributeSource">): Of<"AttributeSource"> {
  if (!isManager(field) || own.connector_id || own.pinned_by || !p.manager_from_source) return own;
  const manager = p.attribute_sources?.manager;
  const connector = manager?.connector_id ?? p.source_connector_id ?? null;
  return { ...own, ...manager, connector_id: connector };
}

/** What a form of a person holds: their members as text, and custom attributes as they are. */
export type Filled = { fields: Record<string, string>; attributes: Record<string, unknown> };

/** A record as a form holds it. */
export function filledOf(p: Partial<Of<"IdentityDetail">>): Filled {
  const record = p as Record<string, unknown>;
  const fields = Object.fromEntries(groups.flatMap((g) => g.fields).map((f) => [f.name, String(record[f.name] ?? "")]));
  return { fields, attributes: { ...(p.attributes as Record<string, unknown> | undefined) } };
}

/** The merge patch from one to the other: what was emptied becomes null, what stayed is left out. */
export function patchOf(was: Filled, is: Filled): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(is.fields)) {
    if (value !== (was.fields[name] ?? "")) patch[name] = value === "" ? null : value;
  }
  const attributes: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(was.attributes), ...Object.keys(is.attributes)])) {
    const now = empty(is.attributes[name]) ? null : is.attributes[name];
    const before = empty(was.attributes[name]) ? null : was.attributes[name];
    if (JSON.stringify(now) !== JSON.stringify(before)) attributes[name] = now;
  }
  if (Object.keys(attributes).length > 0) patch.attributes = attributes;
  return patch;
}

const empty = (v: unknown) => v === undefined || v === null || v === "" || (Array.isArray(v) && v.length === 0);

/** What was typed over what has been read again meanwhile: only members that were touched keep what was typed. */
export function mergeEdits(was: Filled, typed: Filled, now: Filled): Filled {
  const fields = { ...now.fields };
  for (const [name, value] of Object.entries(typed.fields)) if (value !== (was.fields[name] ?? "")) fields[name] = value;
  const attributes = { ...now.attributes };
  for (const [name, value] of Object.entries(typed.attributes)) {
    if (JSON.stringify(value) !== JSON.stringify(was.attributes[name])) attributes[name] = value;
  }
  return { fields, attributes };
}
