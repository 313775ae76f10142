import * as text from "#text/access";
import type { Of } from "../../api/types";
import { useGo } from "../../kit/link";
import { columnsOf } from "./words";

type Level = Of<"EntitlementLevel">;
type Mark = { key: string; words: string; x: number; y: number; id?: string };

const mostDepth = 3;
const mostRows = 10;
const step = 250;
const box = 200;
const row = 38;

/** Nesting as a picture: what lies in it on the left, what it lies in on the right, a column for each step. The table below says the same. */
export function NestingPicture({ name, up, down }: { name: string; up: Level[]; down: Level[] }) {
  const navigate = useGo();
  const left = columnsOf(down, mostRows).slice(0, mostDepth).reverse();
  const right = columnsOf(up, mostRows).slice(0, mostDepth);
  const tallest = Math.max(2, ...[...left, ...right].map((c) => c.shown.length + (c.more ? 1 : 0)));
  const height = tallest * row + 8;
  const width = (left.length + right.length + 1) * step - (step - box) + 2;
  const middle: Mark = { key: "it", words: name, x: left.length * step + 1, y: height / 2 };
  const put = (c: (typeof left)[number], x: number): Mark[] => {
    const marks = c.shown.map((l) => ({ key: l.id, id: l.id, words: l.display, x, y: 0 }));
    const all: Mark[] = c.more > 0 ? [...marks, { key: `more ${x}`, words: text.moreMore(c.more.toLocaleString("en")), x, y: 0 }] : marks;
    return all.map((m, i) => ({ ...m, y: ((i + 0.5) * height) / all.length }));
  };
  const lefts = left.map((c, i) => put(c, i * step + 1));
  const rights = right.map((c, i) => put(c, (left.length + 1 + i) * step + 1));
  const lines = [...(lefts.at(-1) ?? []).map((m) => [m, middle] as const), ...(rights[0] ?? []).map((m) => [middle, m] as const)];
  const sentence = text.containsAndIsIn(name, down.length, up.length);
  const shown = [...left, ...right].length;
  const deepest = Math.max(0, ...up.map((l) => l.depth), ...down.map((l) => l.depth));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached */}
      <section className="card graph" aria-label={text.nestingGraph} tabIndex={0}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table below has a link for each */}
        <svg
          role="img"
          aria-label={sentence}
          viewBox={`0 0 ${width} ${height}`}
          className="access-tree"
          data-columns={shown + 1}
          onClick={(e) => {
            const id = (e.target as Element).closest("[data-grant]")?.getAttribute("data-grant");
            if (id) void navigate({ to: "/access/$id/$tab", params: { id, tab: "nesting" } });
          }}
        >
          {lines.map(([a, b]) => (
            <path
              key={`${a.key} ${b.key}`}
              className="line"
              d={`M${a.x + box},${a.y} C${a.x + box + 25},${a.y} ${b.x - 25},${b.y} ${b.x},${b.y}`}
            />
          ))}
          {[...lefts.flat(), ...rights.flat()].map((m) => (
            <Box key={m.key} of={m} />
          ))}
          <Box of={middle} it />
        </svg>
      </section>
      {deepest > mostDepth && <p className="small muted">{text.theTableShowsTheLevelsBeyond}</p>}
    </>
  );
}

const letters = 27;

function Box({ of, it }: { of: Mark; it?: boolean }) {
  const words = [...of.words];
  return (
    <g data-grant={of.id} className={`mark${it ? " it" : ""}${of.id ? " opens" : ""}`}>
      <title>{of.words.slice(0, 500)}</title>
      <rect x={of.x} y={of.y - 15} width={box} height={30} rx={6} />
      <text x={of.x + 10} y={of.y}>
        {words.length > letters ? `${words.slice(0, letters - 1).join("")}…` : of.words}
      </text>
    </g>
  );
}
