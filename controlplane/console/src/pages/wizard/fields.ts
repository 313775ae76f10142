import * as text from "#text/wizard";
import type { Of } from "../../api/types";

export type SchemaObject = Of<"SchemaObject">;
export type SchemaField = Of<"SchemaField">;
export type Group = { key: string; words: string; native: string; fields: SchemaField[]; count: number | undefined };

/** The objects of a look as people call them: users once, though they are read as people and as accounts. */
export function groups(objects: SchemaObject[]): Group[] {
  const out: Group[] = [];
  for (const o of objects) {
    const group = {
      key: `${o.kind}-${o.native_type}`,
      words: wordsOf(o),
      native: o.native_type,
      fields: o.fields ?? [],
      count: o.count_hint,
    };
    const same = out.find((g) => g.native === o.native_type && names(g.fields) === names(group.fields));
    if (same) same.words = text.users;
    else out.push(group);
  }
  return out;
}

const names = (of: SchemaField[]) => of.map((f) => f.name).join("\n");

function wordsOf(o: SchemaObject): string {
  if (o.kind === "identity") return text.people;
  if (o.kind === "account") return text.accounts;
  if (o.kind === "grant") return text.memberships;
  if (/role|permission|profile/i.test(o.native_type)) return text.roles;
  return /group|team/i.test(o.native_type) ? text.groups : text.access;
}

/** Whether the values of a field are not shown: they look like a secret. */
export const masked = (f: SchemaField) => Boolean(f.secret) || f.pii === "secret";
