import * as text from "#text/kit";
import type { FieldProblem } from "../api/session";

/** What stands at a field of the page: its words, and how the field is called. */
export type AtField = { words: string; label: string };

/**
 * Tells what stands at a field from what has none. Words that are said of more members than fields show are of none: whose field it is cannot
 * be told.
 */
export function split<F extends AtField>(wrongs: readonly FieldProblem[], fields: readonly F[]): { placed: F[]; rest: FieldProblem[] } {
  const said = (words: string) => wrongs.filter((w) => w.detail === words).length;
  const shown = (words: string) => fields.filter((f) => f.words === words).length;
  const stands = (words: string) => shown(words) > 0 && shown(words) >= said(words);
  return {
    placed: fields.filter((f) => said(f.words) > 0 && stands(f.words)),
    rest: wrongs.filter((w) => !stands(w.detail)),
  };
}

/** What a refusal is about, in words: a member of the API is called business_description, its field "Business description". */
export function memberWords(w: Pick<FieldProblem, "pointer" | "parameter">): string {
  const parts = (w.pointer?.replace(/^#\/?/, "") ?? w.parameter ?? "").split("/").filter(Boolean);
  const words = parts.map((p) => (/^\d+$/.test(p) ? String(Number(p) + 1) : p.replace(/_id(s?)$/, "$1").replaceAll("_", " "))).join(" ");
  return words ? `${words[0]?.toUpperCase()}${words.slice(1)}` : text.thisRequest;
}
