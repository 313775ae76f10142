import * as text from "#text/people";
import type { Grant } from "../../api/types";
import { systemOf } from "../../kit/insystem";
import { type Reason, reasonsOf, type Tone, toneOf } from "./words";

/** A mark of the picture. system: the system that it is in, where names repeat from one to the next. */
export type Mark = {
  key: string;
  words: string;
  system?: string | undefined;
  tone: Tone;
  x: number;
  y: number;
  grant?: string;
  count: number;
};
export type Line = { key: string; from: Mark; to: Mark; tone: Tone };
export type Picture = { marks: Mark[][]; lines: Line[]; height: number; collapsed: boolean };

const mostAccounts = 10;
const maxPaths = 12;
const mostAccess = 24;
const maxUnmanaged = 12;
export const row = 46;
export const columns = [44, 150, 400, 660] as const; // left edges
export const width = 900;
export const box = 210;

const worse: Tone[] = ["plain", "soon", "odd", "bad"];
const worst = (a: Tone, b: Tone): Tone => (worse.indexOf(a) >= worse.indexOf(b) ? a : b);

/**
 * What somebody holds as a picture in four columns: the person, accounts, ways, access. However much it is, there are never more than some
 * sixty marks: what is usual is counted together, and what is rare falls into one mark for the rest.
 */
export function draw(grants: Grant[], person: string, systems: Map<string, string> = new Map()): Picture {
  const names = new Map(grants.map((g) => [g.entitlement_id, g.entitlement.display]));
  const rows = grants.flatMap((g) =>
    reasonsOf(g, names).map((way) => ({
      grant: g,
      account: g.account_id,
      login: g.account.display,
      system: systemOf(g, systems),
      way: within(way, g, systems),
      tone: worst(toneOf(g), way.tone),
    })),
  );
  const accounts = kept(
    rows.map((r) => [r.account, r.login, "plain", r.system]),
    mostAccounts,
    text.moreAccounts,
  );
  const ways = kept(
    rows.map((r) => [r.way.key, r.way.words, r.way.tone, r.way.system]),
    maxPaths,
    text.morePaths,
  );
  const collapsed = names.size > mostAccess;
  const unmanaged = collapsed
    ? new Set(
        grants
          .filter((g) => toneOf(g) !== "plain")
          .slice(0, maxUnmanaged)
          .map((g) => g.entitlement_id),
      )
    : undefined;
  const ends = new Map<string, Mark>();
  const heads: Mark = { key: "person", words: person, tone: "plain", x: columns[0], y: 0, count: grants.length };
  const lines = new Map<string, Line>();
  const tie = (from: Mark, to: Mark, tone: Tone) => {
    const key = `${from.key}→${to.key}`;
    const was = lines.get(key);
    lines.set(key, { key, from, to, tone: was ? worst(was.tone, tone) : tone });
  };
  const counted = new Map<string, Set<string>>();
  for (const r of rows) {
    const account = accounts.of(r.account);
    const way = ways.of(r.way.key);
    const alone = !unmanaged || unmanaged.has(r.grant.entitlement_id);
    const key = alone ? `e ${r.grant.entitlement_id}` : `g ${way.key}`;
    const held = ends.get(key) ?? { key, words: r.grant.entitlement.display, tone: r.tone, x: columns[3], y: 0, count: 0 };
    held.tone = worst(held.tone, r.tone);
    if (alone) {
      held.grant = r.grant.id;
      held.system = r.system;
    }
    const set = counted.get(key) ?? new Set();
    counted.set(key, set.add(r.grant.entitlement_id));
    held.count = set.size;
    if (!alone) held.words = text.entitlementCount(set.size);
    ends.set(key, held);
    tie(heads, account, "plain");
    tie(account, way, way.tone === "bad" ? "bad" : "plain");
    tie(way, held, r.tone);
  }
  const marks = [[heads], accounts.all, ways.all, [...ends.values()]];
  const height = place(marks, [...lines.values()]);
  return { marks, lines: [...lines.values()], height, collapsed };
}

/** A way as a mark: what is of one system, such as a group or what was found there, is not that of another. */
function within(way: Reason, g: Grant, systems: Map<string, string>): Reason & { system?: string | undefined } {
  const inside = way.key === "native" || way.key === "direct" || way.key === "inherited" || way.key.startsWith("in ");
  return inside ? { ...way, key: `${way.key} ${g.connector_id}`, system: systemOf(g, systems) } : way;
}

/** The most frequent of some, each as a mark; all others are one mark together. */
function kept(all: [string, string, Tone, (string | undefined)?][], most: number, rest: string) {
  const counts = new Map<string, { words: string; tone: Tone; system: string | undefined; n: number }>();
  for (const [key, words, tone, system] of all) {
    const c = counts.get(key) ?? { words, tone, system, n: 0 };
    c.n++;
    counts.set(key, c);
  }
  const sorted = [...counts].sort((a, b) => b[1].n - a[1].n);
  const marks = new Map(
    sorted
      .slice(0, sorted.length > most ? most - 1 : most)
      .map(([key, c]) => [key, { key, words: c.words, system: c.system, tone: c.tone, x: 0, y: 0, count: c.n }]),
  );
  const others = sorted.length - marks.size;
  const more: Mark = { key: `more ${rest}`, words: `${others.toLocaleString("en")} ${rest}`, tone: "plain", x: 0, y: 0, count: others };
  return { of: (key: string): Mark => marks.get(key) ?? more, all: [...marks.values(), ...(others > 0 ? [more] : [])] as Mark[] };
}

/** Puts marks into their columns, near what they are tied to, and gives the height of it all. */
function place(marks: Mark[][], lines: Line[]): number {
  const height = Math.max(3, ...marks.map((m) => m.length)) * row + 8;
  marks.forEach((column, c) => {
    const from = new Map<Mark, number[]>();
    for (const l of lines) from.set(l.to, [...(from.get(l.to) ?? []), l.from.y]);
    const middle = (m: Mark) => mean(from.get(m) ?? [0]);
    if (c > 0) column.sort((a, b) => middle(a) - middle(b) || a.words.localeCompare(b.words));
    const step = height / column.length;
    column.forEach((m, i) => {
      m.x = columns[c as 0 | 1 | 2 | 3];
      m.y = Math.round(step * (i + 0.5));
    });
  });
  return height;
}

const mean = (of: number[]) => of.reduce((a, b) => a + b, 0) / Math.max(1, of.length);
