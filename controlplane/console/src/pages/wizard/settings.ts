import * as texts from "#text/wizard";
import type { Connector, Of } from "../../api/types";

export type Setting = Of<"ConnectorSetting">;

/** What is typed into the fields of a connection: text, or whether it is on. A field that nobody has touched is not there. */
export type Typed = Record<string, string | boolean>;

/** Whether a field applies to what was chosen in others. */
export function applies(f: Setting, all: Setting[], value: (key: string) => string): boolean {
  if (!f.depends_on) return true;
  const parent = all.find((p) => p.key === f.depends_on);
  if (!parent || !applies(parent, all, value)) return false;
  return (f.depends_vals ?? []).includes(value(parent.key) || String(parent.default ?? ""));
}

/** What a field holds as text: what was typed, or else what is kept. */
export function textOf(f: Setting, typed: Typed, kept: Record<string, unknown>): string {
  const t = typed[f.key];
  if (t !== undefined) return String(t);
  const v = kept[f.key];
  if (v === undefined || v === null) return "";
  if (f.type === "string_list" && Array.isArray(v)) return v.join("\n");
  return typeof v === "object" ? JSON.stringify(v, null, 2) : String(v);
}

/** A merge patch of what was typed, and what of it cannot be sent. Empty text clears a setting; an empty secret stays as it is. */
export type Patch = { connection: Record<string, unknown>; credentials: Record<string, unknown>; wrong: Record<string, string> };

export function patchOf(fields: Setting[], typed: Typed): Patch {
  const out: Patch = { connection: {}, credentials: {}, wrong: {} };
  for (const f of fields) {
    const t = typed[f.key];
    if (t === undefined || (f.secret && t === "")) continue;
    try {
      (f.secret ? out.credentials : out.connection)[f.key] = parsed(f, t);
    } catch (e) {
      out.wrong[f.key] = (e as Error).message;
    }
  }
  return out;
}

function parsed(f: Setting, t: string | boolean): unknown {
  if (typeof t === "boolean") return t;
  const text = f.secret ? t : t.trim();
  if (text === "") return null;
  switch (f.type) {
    case "integer":
      if (!/^-?\d+$/.test(text)) throw new Error("Enter a whole number.");
      return Number(text);
    case "string_list":
      return text
        .split("\n")
        .map((l) => l.trim())
        .filter(Boolean);
    case "object":
    case "object_list":
      return json(text, f.type === "object_list");
    default:
      return text;
  }
}

function json(text: string, list: boolean): unknown {
  let v: unknown;
  try {
    v = JSON.parse(text);
  } catch (e) {
    throw new Error(texts.thisIsNotValidJson((e as Error).message));
  }
  if (Array.isArray(v) !== list || typeof v !== "object" || v === null)
    throw new Error(list ? texts.enterAJsonListOfObjects : texts.enterAJsonObject);
  return v;
}

/** The key of a connector's type in the catalog. */
export const typeKey = (c: Pick<Connector, "type" | "vendor_key">) => (c.type === "vendor" ? (c.vendor_key ?? "") : c.type);

/** Whether a text has several lines, as certificates and keys have. */
export const manyLines = (f: Setting) =>
  f.type === "object" || f.type === "object_list" || f.type === "string_list" || /_pem$|private_key/.test(f.key);
