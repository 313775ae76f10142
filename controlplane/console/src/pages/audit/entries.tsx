import { memo, useEffect, useMemo, useState } from "react";
import * as text from "#text/audit";
import type { Of } from "../../api/types";
import { useKeys } from "../../app/keys";
import { useGo } from "../../kit/link";
import { blockSize, parts, useNearViewport } from "../../kit/viewport";
import { Line, lineText } from "./line";
import type { AuditFilters } from "./words";

type Event = Of<"Event">;

type Props = { events: Event[]; total: number; search: AuditFilters; busy: boolean; more: (() => void) | undefined };

/** The entries that have been read, as a table of as many rows as there are in all: those far from what is seen are not drawn. */
export function Entries({ events, total, search, busy, more }: Props) {
  const at = useMoving(events, search, more);
  const blocks = useMemo(() => parts(events, blockSize), [events]);
  return (
    <table className="card audit-log" aria-label={text.entriesNewestFirst} aria-busy={busy} aria-rowcount={total + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {[text.time, text.action, text.actor, text.subject, text.outcome].map((title) => (
            <th scope="col" key={title}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      {blocks.map((block, i) => (
        <Block
          key={block[0]?.id}
          events={block}
          from={i * blockSize}
          held={block.some((e) => e.id === at || e.id === search.event)}
          search={search}
        />
      ))}
    </table>
  );
}

type BlockProps = { events: Event[]; from: number; held: boolean; search: AuditFilters };

/** Some entries. held: one of them is open, or has the focus. While they are not drawn their words stand in their place, for the browser's own search. */
const Block = memo(function Block({ events, from, held, search }: BlockProps) {
  const { place, near, height } = useNearViewport<HTMLTableSectionElement>(from === 0, events.length * usual);
  if (!near && !held)
    return (
      <tbody ref={place} className="audit-unloaded" style={{ height, lineHeight: `${height / events.length}px` }} aria-hidden>
        <tr>
          <td>{events.map(lineText).join("\n")}</td>
        </tr>
      </tbody>
    );
  return (
    <tbody ref={place}>
      {events.map((e, i) => (
        <Line key={e.id} of={e} row={from + i + 2} search={search} />
      ))}
    </tbody>
  );
});

const usual = 45; // pixels of a row, until it was seen

/** J and K go from entry to entry, and read on before the end; Enter opens. Gives the entry at which one is. */
function useMoving(events: Event[], search: AuditFilters, more: (() => void) | undefined): string | undefined {
  const navigate = useGo();
  const [at, setAt] = useState<{ id: string }>();
  const place = () => {
    const id = document.activeElement?.closest<HTMLElement>("[data-entry]")?.dataset.entry ?? at?.id;
    return events.findIndex((e) => e.id === id);
  };
  const move = (by: number) => {
    const here = place();
    if (by > 0 && here >= events.length - 5) more?.();
    const next = events[Math.min(Math.max(here + by, 0), events.length - 1)];
    if (next) setAt({ id: next.id });
  };
  // Only when it is drawn can it have the focus.
  useEffect(() => {
    const row = at && document.querySelector<HTMLElement>(`[data-entry="${at.id}"]`);
    row?.querySelector("a")?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  }, [at]);
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: (e) => inLog(e) && move(1),
    ArrowUp: (e) => inLog(e) && move(-1),
    Enter: (e) => {
      if (!at || (e.target as Element).closest("a,button,summary,input")) return false;
      void navigate({ to: "/audit", search: { ...search, event: at.id }, resetScroll: false });
      return true;
    },
  });
  return at?.id;
}

// Elsewhere the arrows scroll.
const inLog = (e: KeyboardEvent) => e.target instanceof Element && e.target.closest(".audit-log") !== null;
