import * as text from "#text/wizard";
import { Refusal } from "../../api/session";

/** A refusal of settings in words for somebody who has fields: that a secret is wanted again is told programs otherwise. */
export function atFields(e: unknown): unknown {
  if (!(e instanceof Refusal)) return e;
  const errors = e.errors.map((w) => (w.code === "credentials_required" ? { ...w, detail: text.enterThisSecretAgain } : w));
  return new Refusal(e.status, e.code, e.message, e.requestId, errors, e.problem, e.retryAfter);
}
