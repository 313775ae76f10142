import { createElement, Fragment, type ReactNode } from "react";
import { language } from "./language";

/** What a text takes where it names something: a name as it is shown, or a number. */
export type Insert = string | number | null | undefined;
/** A number that decides the form of a noun or verb. Absent counts as none. */
export type Count = number | null | undefined;

const rules = new Intl.PluralRules(language);
const digits = new Intl.NumberFormat(language);

/** The forms of a text by the plural categories of the language; other is the form of all that are not listed. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** plural(2, { one: "# account", other: "# accounts" }) is "2 accounts": the form for the number, with the number for #. */
export function plural(of: Count, forms: Forms): string {
  const n = of ?? 0;
  return (forms[rules.select(n)] ?? forms.other).replaceAll("#", digits.format(n));
}

const and = new Intl.ListFormat(language, { type: "conjunction" });
const or = new Intl.ListFormat(language, { type: "disjunction" });

/** conjunction(["Ann", "Bob"]) is "Ann and Bob". */
export const conjunction = (names: string[]): string => and.format(names);
/** disjunction(["Ann", "Bob"]) is "Ann or Bob". */
export const disjunction = (names: string[]): string => or.format(names);

/** A text with elements in it: rich`Merged into ${link}.` is one sentence, whose elements a language may put elsewhere. */
export function rich(strings: TemplateStringsArray, ...nodes: ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...strings.flatMap((s, i) => (i < nodes.length ? [s, nodes[i]] : [s])));
}
