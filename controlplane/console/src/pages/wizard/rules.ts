import * as texts from "#text/wizard";
import type { Of } from "../../api/types";
import { again, type Kind, kindWords, optional } from "../connectors/kinds";
import { masked, type SchemaField, type SchemaObject } from "./fields";

export type Mapping = Of<"Mapping">;
export type NewMapping = Of<"NewMapping">;

/** What is done with one field of the source: nothing yet, it fills one of ours, or it is ignored. */
export type Rule = {
  key: string;
  object: Kind;
  field: SchemaField;
  target: string;
  transform: string;
  ignored: boolean;
  found: string;
  note: string;
  /** Further mappings of the field. They are changed on the connector's page, and kept as they are here. */
  also: NewMapping[];
  /** Of a kind that this system is not read for: not asked about. */
  hidden: boolean;
};

/**
 * The rules of all fields, of what was saved, or else of the proposals. A proposal to ignore a field for no reason is none: somebody has to
 * decide. What was saved is decided, and a field that it does not name is not. Fields of entitlements and grants need no decision: one
 * without a mapping keeps the value that the connector reads.
 */
export function rulesOf(objects: SchemaObject[], known: Mapping[], saved: boolean, kinds: Kind[]): Rule[] {
  const by = new Map<string, Mapping[]>();
  for (const m of known) by.set(`${m.object}/${m.source_path}`, [...(by.get(`${m.object}/${m.source_path}`) ?? []), m]);
  const out = new Map<string, Rule>();
  for (const o of objects) {
    if (!(o.kind in kindWords)) continue;
    const kind = o.kind as Kind;
    for (const field of o.fields ?? []) {
      const key = `${o.kind}/${field.name}`;
      if (out.has(key)) continue;
      const hidden = !kinds.includes(kind);
      const [m, ...more] = hidden && optional(kind) && !saved ? [] : (by.get(key) ?? []);
      const unread = hidden && !optional(kind);
      const ignored = m?.action === "ignore" ? saved || Boolean(m.note) || masked(field) || unread : unread && !m;
      out.set(key, {
        key,
        object: kind,
        field,
        hidden,
        ignored,
        target: m?.target_field ?? "",
        transform: m?.transform ?? "",
        found: m?.overridden && m.heuristic !== "copied" ? "manual" : (m?.heuristic ?? ""),
        note: m?.note ?? "",
        also: more.map(again),
      });
    }
  }
  return [...out.values()];
}

export const decided = (r: Rule) => r.ignored || r.target.trim() !== "";

/** Whether somebody has to decide about a field yet. */
export const needsDecision = (r: Rule) => !r.hidden && !optional(r.object) && !decided(r);

/** How many fields are mapped, ignored, and still to be decided about. */
export function counts(rules: Rule[]) {
  const asked = rules.filter((r) => !r.hidden);
  const ignored = asked.filter((r) => r.ignored).length;
  const mapped = asked.filter((r) => !r.ignored && decided(r)).length;
  return { mapped, todo: asked.filter(needsDecision).length, ignored };
}

const plain = (target: string) => (target.startsWith("attributes.") ? target : target.toLowerCase().replace(/[^a-z0-9]/g, ""));

/** The rules that fill a field which another one fills already, by key: the field that it is. */
export function duplicates(rules: Rule[]): Map<string, string> {
  const by = new Map<string, Rule[]>();
  for (const r of rules) {
    if (r.ignored || !r.target.trim()) continue;
    const key = `${r.object}/${plain(r.target.trim())}`;
    by.set(key, [...(by.get(key) ?? []), r]);
  }
  return new Map([...by.values()].filter((same) => same.length > 1).flatMap((same) => same.map((r) => [r.key, r.target] as const)));
}

/** What is sent: the rules that are decided, in their order. */
export const sentOf = (rules: Rule[]): NewMapping[] =>
  rules.filter(decided).flatMap((r) => [
    {
      object: r.object,
      source_path: r.field.name,
      ...(r.ignored
        ? { action: "ignore" as const }
        : { action: "map" as const, target_field: r.target.trim(), ...(r.transform.trim() ? { transform: r.transform.trim() } : {}) }),
    },
    ...(r.ignored ? [] : r.also),
  ]);

/** The kinds of record to read: those that are asked for, and those whose fields are filled although they need not be. */
export function objectsOf(rules: Rule[], kinds: Kind[]): Kind[] {
  const filled = rules.filter((r) => optional(r.object) && !r.hidden && !r.ignored).map((r) => r.object);
  return [...new Set([...kinds, ...filled])];
}

/** What the way on waits for, as the words of its button; undefined when nothing is missing. */
export function missing(rules: Rule[], wrong: Map<string, string>): string | undefined {
  const twice = new Set(duplicates(rules).values());
  const [one] = twice;
  if (one) return twice.size === 1 ? texts.oneIsMappedTwice(one) : texts.sizeFieldsAreMappedTwice(twice.size);
  if (wrong.size > 0) return texts.fieldsWithErrors(wrong.size);
  const { todo } = counts(rules);
  if (todo > 0) return texts.openFields(todo);
  return undefined;
}

/** A value of a record, by a name that may hold dots. */
export function valueIn(record: Record<string, unknown> | undefined, path: string): unknown {
  if (!record) return undefined;
  if (path in record) return record[path];
  return path
    .split(".")
    .reduce<unknown>((at, part) => (at && typeof at === "object" ? (at as Record<string, unknown>)[part] : undefined), record);
}

/** A value as text, short enough for a line. */
export function sampleText(v: unknown): string {
  if (v === undefined || v === null || v === "") return "";
  const text = typeof v === "string" ? v : JSON.stringify(v);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

const rulesBy: Record<string, string> = {
  exact: texts.exactName,
  synonym: texts.synonym,
  type_shape: texts.typeAndShape,
  vendor_template: texts.vendorTemplate,
  scim_extension: texts.scimEnterprise,
  sector_pack: texts.sectorPack,
  manual: texts.manual,
  copied: texts.copied,
};

/** What found a mapping. */
export const foundBy = (found: string) => rulesBy[found] ?? (found ? found.replaceAll("_", " ") : texts.noMatch);
