import * as text from "#text/separation";
import "./separation.css";

/** What of a policy decides which sides conflict. */
export type Shape = { kind: string; sides: { label?: string | undefined }[]; n?: number | null; conflicts: number[][] };

/** The pairs of sides that conflict, each with the lower position first; of a companion or a history from the first to the second. */
export function pairsOf({ kind, sides, conflicts }: Shape): [number, number][] {
  if (sides.length < 2) return [];
  if (kind === "matrix")
    return conflicts.flatMap(([a = 0, b = 0]): [number, number][] =>
      a < sides.length && b < sides.length ? [[Math.min(a, b), Math.max(a, b)]] : [],
    );
  if (kind === "n_of_m") return sides.flatMap((_, a) => sides.slice(a + 1).map((__, i): [number, number] => [a, a + 1 + i]));
  return [[0, 1]];
}

export const labelOf = (s: Shape, i: number): string => s.sides[i]?.label?.trim() || text.unnamedSide(i + 1);

const row = 34;
const letters = 36;

const said = (s: Shape, a: number, b: number) =>
  (s.kind === "companion" ? text.requiresOf : s.kind === "history" ? text.afterOf : text.pairOf)(labelOf(s, a), labelOf(s, b));

/** The sides of a policy as points under each other, with an arc between those that conflict. ConflictTable says the same. */
export function Arcs({ of: s }: { of: Shape }) {
  const pairs = pairsOf(s);
  const longest = Math.max(1, ...pairs.map(([a, b]) => b - a));
  const reach = (a: number, b: number) => 30 + (150 * (b - a)) / longest;
  const y = (i: number) => row / 2 + i * row;
  const height = Math.max(1, s.sides.length) * row;
  const left = 22 + 7.2 * Math.max(...s.sides.map((_, i) => Math.min(letters, [...labelOf(s, i)].length)), 1);
  const width = Math.ceil(left) + 160;
  const style = s.kind === "companion" || s.kind === "history" || (s.kind === "n_of_m" && (s.n ?? 2) > 2) ? "dashed" : "";
  return (
    <svg
      className="arcs"
      role="img"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-label={pairs.length > 0 ? text.pictureOf(pairs.map(([a, b]) => said(s, a, b))) : text.noConflictsYet}
    >
      {pairs.map(([a, b]) => (
        <path
          key={`${a} ${b}`}
          className={`arc ${style}`}
          d={`M${left},${y(a)} C${left + reach(a, b)},${y(a)} ${left + reach(a, b)},${y(b)} ${left},${y(b)}`}
        >
          <title>{said(s, a, b)}</title>
        </path>
      ))}
      {s.sides.map((_, i) => {
        const label = labelOf(s, i);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: sides are told apart by their positions
          <g key={i}>
            <title>{label}</title>
            <circle cx={left} cy={y(i)} r={5} />
            <text x={left - 14} y={y(i)} className="arc-label">
              {[...label].length > letters ? `${[...label].slice(0, letters - 1).join("")}…` : label}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** With which other sides a side conflicts, in words. */
export function partnersOf(s: Shape, i: number): { words: string; of: string[] } {
  const pairs = pairsOf(s).filter((p) => p.includes(i));
  const of = pairs.map(([a, b]) => labelOf(s, a === i ? b : a));
  if (s.kind === "companion") return { words: i === 0 ? text.requires : text.isRequiredBy, of };
  return { words: text.conflictsWith, of };
}
