import * as text from "#text/syncruns";
import type { Of } from "../../api/types";
import { count } from "../../kit/count";

/** A kind of record whose fields are mapped. */
export type Kind = "identity" | "account" | "entitlement" | "grant";

export const kinds: readonly Kind[] = ["identity", "account", "entitlement", "grant"];

export const kindWords: Record<Kind, string> = {
  identity: text.people,
  account: text.accounts,
  entitlement: text.entitlements,
  grant: text.grants,
};

/** The kinds of record that a system is read for, by its purpose. */
export function kindsOf(purpose: string): Kind[] {
  if (purpose === "source") return ["identity"];
  return purpose === "target" ? ["account", "entitlement", "grant"] : [...kinds];
}

/** Whether a field of this kind may stay without a mapping: the value that the connector reads is kept then. */
export const optional = (kind: string) => kind === "entitlement" || kind === "grant";

/** A number of records of a kind. */
export function countOf(n: number, kind: string): string {
  return kind === "identity" ? text.peopleCount(n) : count(n, kind);
}

/** A mapping as it is sent back unchanged. */
export const again = (m: Of<"Mapping">): Of<"NewMapping"> => ({
  object: m.object as Kind,
  source_path: m.source_path,
  action: m.action,
  ...(m.target_field ? { target_field: m.target_field } : {}),
  ...(m.transform ? { transform: m.transform } : {}),
});
