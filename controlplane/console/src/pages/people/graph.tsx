import { useMemo, useState } from "react";
import * as text from "#text/people";
import type { Grant } from "../../api/types";
import { useSystems } from "../../kit/systems";
import { box, columns, draw, type Line, type Mark, width } from "./layout";
import { isUnmanaged } from "./words";

const tones = { plain: "", odd: "unmanaged", bad: "conflict", soon: text.aboutToChange } as const;

/** What somebody holds and by which ways, as a picture. The table below it says the same. */
export function AccessGraph({ of, person, open }: { of: Grant[]; person: string; open: (grant: string) => void }) {
  const systems = useSystems();
  const named = [...systems].join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are another map each time
  const picture = useMemo(() => draw(of, person, systems), [of, person, named]);
  const [near, setNear] = useState<string>();
  const highlighted = near ? around(picture.lines, near) : undefined;
  const sentence = tell(picture.marks, of, person);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached */}
      <section className="card graph" aria-label={text.accessGraph} tabIndex={0}>
        <div className="graph-heads small muted" aria-hidden>
          <span>{text.account}</span>
          <span>{text.path}</span>
          <span>{text.access}</span>
        </div>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table below has a button for each */}
        <svg
          role="img"
          aria-label={sentence}
          viewBox={`0 0 ${width} ${picture.height}`}
          className={highlighted ? "lit" : undefined}
          onPointerOver={(e) => setNear((e.target as Element).closest("[data-mark]")?.getAttribute("data-mark") ?? undefined)}
          onPointerLeave={() => setNear(undefined)}
          onClick={(e) => {
            const grant = (e.target as Element).closest("[data-grant]")?.getAttribute("data-grant");
            if (grant) open(grant);
          }}
        >
          {picture.lines.map((l) => (
            <path key={l.key} d={curve(l)} className={`line ${l.tone}${highlighted?.has(l.key) ? " near" : ""}`} />
          ))}
          {picture.marks.flatMap((column, c) =>
            column.map((m) =>
              c === 0 ? <Person key={m.key} of={m} /> : <Box key={m.key} of={m} near={highlighted?.has(m.key) ?? false} />,
            ),
          )}
        </svg>
      </section>
      {picture.collapsed && <p className="small muted">{text.usualAccessIsGroupedInThis}</p>}
    </>
  );
}

function Person({ of }: { of: Mark }) {
  const initials = of.words
    .split(/\s+/)
    .slice(0, 2)
    .map((w) => [...w][0] ?? "")
    .join("");
  return (
    <g data-mark={of.key}>
      <title>{of.words}</title>
      <circle cx={of.x} cy={of.y} r={20} className="who" />
      <text x={of.x} y={of.y} className="initials">
        {initials}
      </text>
    </g>
  );
}

function Box({ of, near }: { of: Mark; near: boolean }) {
  const extra = tones[of.tone];
  return (
    <g data-mark={of.key} data-grant={of.grant} className={`mark ${of.tone}${near ? " near" : ""}${of.grant ? " opens" : ""}`}>
      <title>{[[of.words.slice(0, 500), of.system].filter(Boolean).join(" · "), extra].filter(Boolean).join(": ")}</title>
      <rect x={of.x} y={of.y - 19} width={box} height={38} rx={6} />
      <text x={of.x + 11} y={of.system ? of.y - 7 : of.y}>
        {clip(of.words)}
      </text>
      {of.system && (
        <text x={of.x + 11} y={of.y + 9} className="system">
          {clip(of.system)}
        </text>
      )}
    </g>
  );
}

const letters = 29;
const clip = (words: string) => ([...words].length > letters ? `${[...words].slice(0, letters - 1).join("")}…` : words);

function curve({ from, to }: Line): string {
  const x1 = from.x === columns[0] ? from.x + 20 : from.x + box;
  const half = (to.x - x1) / 2;
  return `M${x1},${from.y} C${x1 + half},${from.y} ${to.x - half},${to.y} ${to.x},${to.y}`;
}

/** What is tied to a mark, in both directions. */
function around(lines: Line[], key: string): Set<string> {
  const found = new Set([key]);
  const moveFocus = (at: string, way: "from" | "to") => {
    for (const l of lines) {
      if (l[way].key !== at || found.has(l.key)) continue;
      const next = way === "from" ? l.to.key : l.from.key;
      found.add(l.key).add(next);
      moveFocus(next, way);
    }
  };
  moveFocus(key, "from");
  moveFocus(key, "to");
  return found;
}

function tell(marks: Mark[][], grants: Grant[], person: string): string {
  const unmanaged = grants.filter(isUnmanaged).length;
  const bad = grants.filter((g) => g.compliance_status === "orphaned" || g.reappeared).length;
  const accounts = new Set(grants.map((g) => g.account_id)).size;
  const parts = [text.personHoldsEntitlementsWithAccounts(person, new Set(grants.map((g) => g.entitlement_id)).size, accounts)];
  const ways = (marks[2] ?? []).slice(0, 6).map((m) => m.words);
  if (ways.length) parts.push(text.throughWays(ways.join(", ")));
  if (unmanaged) parts.push(text.oddUnmanaged(unmanaged));
  if (bad) parts.push(text.badInConflict(bad));
  return `${parts.join("; ")}.`;
}
