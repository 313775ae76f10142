import type { Entitlement } from "../../api/types";

/** How access is called. */
export const nameOf = (e: Pick<Entitlement, "display_name" | "name">) => e.display_name || e.name;

/** What people say of it, else what its system says. */
export const purposeOf = (e: Pick<Entitlement, "business_description" | "description">) =>
  e.business_description || e.description || undefined;

/** The members of now that are other than before: a merge patch, with null for what was emptied. */
export function changesOf<T extends object>(before: T, now: T): Partial<T> {
  const patch: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(now)) {
    const was = (before as Record<string, unknown>)[name];
    if (JSON.stringify(value ?? null) !== JSON.stringify(was ?? null)) patch[name] = value === "" ? null : value;
  }
  return patch as Partial<T>;
}

/** Whether somebody may describe this access: administrators all of it, owners what they own. */
export function mayDescribe(e: Pick<Entitlement, "owner_ids">, admin: boolean, owner: boolean, me: string | null | undefined): boolean {
  return admin || (owner && Boolean(me) && (e.owner_ids ?? []).includes(me ?? ""));
}

/** Levels of nesting in columns: of each depth at most some, and how many more there are. */
export function columnsOf<T extends { depth: number }>(levels: T[], most: number): { depth: number; shown: T[]; more: number }[] {
  const depths = [...new Set(levels.map((l) => l.depth))].sort((a, b) => a - b);
  return depths.map((depth) => {
    const all = levels.filter((l) => l.depth === depth);
    return { depth, shown: all.slice(0, most), more: Math.max(0, all.length - most) };
  });
}
