import type { Wrong } from "../api/session";

/** What stands at a field of the page: its words, and how the field is called. */
export type AtField = { words: string; label: string };

/**
 * Tells what stands at a field from what has none. Words that are said of more members than fields show are of none: whose field it is cannot
 * be told.
 */
export function split<F extends AtField>(wrongs: readonly Wrong[], fields: readonly F[]): { placed: F[]; rest: Wrong[] } {
  const said = (words: string) => wrongs.filter((w) => w.detail === words).length;
  const shown = (words: string) => fields.filter((f) => f.words === words).length;
  const stands = (words: string) => shown(words) > 0 && shown(words) >= said(words);
  return {
    placed: fields.filter((f) => said(f.words) > 0 && stands(f.words)),
    rest: wrongs.filter((w) => !stands(w.detail)),
  };
}
