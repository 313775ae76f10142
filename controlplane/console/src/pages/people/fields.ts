import type { Of } from "../../api/types";

export type FieldKind = "text" | "email" | "date" | "datetime-local" | "select" | "manager" | "person";
/** One member of a person's record: its name in the API, how it is called, and how it is filled in. */
export type Field = { name: string; words: string; kind?: FieldKind; options?: readonly (readonly [string, string])[]; hint?: string };

const employment = ["employee", "contractor", "intern", "vendor", "partner", "student", "service", "other"].map((v) => [v, v] as const);

export const groups: { title: string; fields: Field[] }[] = [
  {
    title: "Personal data",
    fields: [
      { name: "first_name", words: "First name" },
      { name: "middle_name", words: "Middle name" },
      { name: "last_name", words: "Last name" },
      { name: "preferred_name", words: "Preferred name" },
      { name: "display_name", words: "Display name", hint: "First and last name if empty." },
      { name: "email", words: "E-mail", kind: "email" },
      { name: "username", words: "Login" },
      { name: "employee_number", words: "Employee number" },
    ],
  },
  {
    title: "Employment",
    fields: [
      { name: "employment_type", words: "Employment type", kind: "select", options: employment },
      { name: "title", words: "Title" },
      { name: "department", words: "Department" },
      { name: "division", words: "Division" },
      { name: "organization", words: "Organization" },
      { name: "cost_center", words: "Cost center" },
      { name: "job_code", words: "Job code" },
      { name: "job_family", words: "Job family" },
      { name: "location", words: "Location" },
      { name: "country", words: "Country", hint: "Two letters, such as CH." },
      { name: "locale", words: "Language" },
      { name: "timezone", words: "Time zone", hint: "Such as Europe/Zurich." },
    ],
  },
  {
    title: "Responsible people",
    fields: [
      { name: "manager_external_id", words: "Manager", kind: "manager" },
      { name: "sponsor_id", words: "Sponsor", kind: "person", hint: "Required for non-employees and machines." },
      {
        name: "backup_owner_id",
        words: "Backup sponsor",
        kind: "person",
        hint: "Replaces the sponsor, and takes over their responsibilities when they leave.",
      },
    ],
  },
  {
    title: "Dates",
    fields: [
      { name: "hire_date", words: "Hire date", kind: "date" },
      { name: "start_date", words: "First day", kind: "date" },
      { name: "termination_date", words: "Last day", kind: "date" },
      { name: "leave_from", words: "Leave from", kind: "date" },
      { name: "leave_to", words: "Leave to", kind: "date" },
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
