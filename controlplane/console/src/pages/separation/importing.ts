import * as text from "#text/separationimport";
import type { Of } from "../../api/types";
import type { Picked } from "../../kit/pick";

export type Plan = Of<"SeparationImport">;
export type Item = Of<"SeparationImportItem">;
export type Format = "yaml" | "csv" | "sap-grc-txt" | "sap-grc-xml";

/** How the files of an import are read. */
export type Options = {
  format: Format | "auto";
  connector: Picked | null;
  systems: { name: string; connector: Picked | null }[];
  permissions: "groups" | "ignore";
  ruleSet: string;
  language: string;
};

export const usual: Options = { format: "auto", connector: null, systems: [], permissions: "groups", ruleSet: "", language: "" };

/** Bytes of all files: in base64 they must fit into a request of 10 MiB. */
export const largest = 7 * 1024 * 1024;

const byExtension: Record<string, Format> = { yaml: "yaml", yml: "yaml", csv: "csv", txt: "sap-grc-txt", xml: "sap-grc-xml" };

/** The format that the names of files tell; none where they tell several, or where there are only archives. */
export function formatOf(names: string[]): Format | undefined {
  const all = new Set(names.flatMap((n) => byExtension[n.split(".").at(-1)?.toLowerCase() ?? ""] ?? []));
  return all.size === 1 ? [...all][0] : undefined;
}

/** Whether a format is one of SAP GRC, whose files do not name connectors. */
export const isSap = (format: string | undefined) => format?.startsWith("sap-") ?? false;

/** What a field of a duty or policy is called. */
export const fieldWords = (name: string) => text.fieldNames[name] ?? name.replaceAll("_", " ");

export const formatWords = (format: string) => text.formats[format] ?? format;

/** The options as the API takes them. Those of the SAP layouts mean nothing to others. */
export const optionsBody = (o: Options) => ({
  format: o.format,
  permissions: o.permissions,
  ...(o.connector ? { connector: o.connector.id } : {}),
  ...(o.ruleSet.trim() ? { rule_set: o.ruleSet.trim() } : {}),
  ...(o.language.trim() ? { language: o.language.trim() } : {}),
  systems: Object.fromEntries(o.systems.flatMap((s) => (s.name.trim() && s.connector ? [[s.name.trim(), s.connector.id]] : []))),
});

/** How many duties and policies a plan makes or changes. */
export const changesOf = (p: Plan) => p.duties.created + p.duties.updated + p.policies.created + p.policies.updated;

/** Items as a table shows them: what is refused first, what stays last, and never more than most. */
export function firstItems(items: Item[], only: string, most: number): Item[] {
  const wanted = only ? items.filter((i) => i.action === only) : [...items].sort((a, b) => weight(a) - weight(b));
  return wanted.slice(0, most);
}

const weight = (i: Item) => (i.action === "refused" ? 0 : i.action === "unchanged" ? 2 : 1);
