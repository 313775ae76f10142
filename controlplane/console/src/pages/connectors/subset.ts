import type { Of } from "../../api/types";

type Group = Of<"Group">;

/** What of the held changes is meant: kinds, and within them departments or branches; empty lists mean all. */
export type ReleaseFilter = { kinds: string[]; departments: string[]; containers: string[] };
type Named = { value: string; count: number };
export type Shares = { departments: Named[]; containers: Named[]; samples: string[] };

/** How the held changes of the chosen kinds spread over departments and branches. */
export function sharesOf(groups: Group[], kinds: string[]): Shares {
  const held = groups.filter((g) => g.held > 0 && g.guard !== null && kinds.includes(g.guard));
  return {
    departments: sum(held.flatMap((g) => g.departments)),
    containers: sum(held.flatMap((g) => g.containers)),
    samples: held.flatMap((g) => g.samples.map((s) => s.display || s.external_id)),
  };
}

function sum(shares: { value: string | null; count: number }[]): Named[] {
  const all = new Map<string, number>();
  for (const s of shares) if (s.value) all.set(s.value, (all.get(s.value) ?? 0) + s.count);
  return [...all].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

/** How many changes a choice means, as far as it can be told from here; the service counts exactly and refuses another number. */
export function expected(holds: { kind: string; held: number }[], shares: Shares, of: ReleaseFilter): number {
  const total = holds.filter((h) => of.kinds.includes(h.kind)).reduce((n, h) => n + h.held, 0);
  const part = (list: Named[], chosen: string[]) =>
    chosen.length === 0 ? total : list.filter((s) => chosen.includes(s.value)).reduce((n, s) => n + s.count, 0);
  return Math.min(total, part(shares.departments, of.departments), part(shares.containers, of.containers));
}

/** The same as the API takes it. */
export const subsetOf = (of: ReleaseFilter): Partial<ReleaseFilter> => ({
  kinds: of.kinds,
  ...(of.departments.length > 0 ? { departments: of.departments } : {}),
  ...(of.containers.length > 0 ? { containers: of.containers } : {}),
});
