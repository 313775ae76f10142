import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight } from "lucide-react";
import { useRef, useState } from "react";
import * as text from "#text/kit";
import type { Page } from "../api/client";
import { useKeys, useSelectAll } from "../app/keys";
import { Button, Table } from "./kit";
import { useGo } from "./link";
import { type Column, type ListProps, sizes } from "./listtypes";

type Props<T> = {
  label: string;
  page: Page<T>;
  stale: boolean;
  columns: Column<T>[];
  open: ListProps<T>["open"];
  sort: string | undefined;
  setSort: (sort: string | undefined) => void;
  number: number;
  size: number;
  resize: (size: number) => void;
  turn: (page: number) => void;
  chosen: Map<string, T> | undefined;
  choose: (chosen: Map<string, T>) => void;
};

/** The rows of a page. J, K and the arrows move, Enter opens, X selects, Shift X up to here, Ctrl A all of the page. */
export function Rows<T extends { id: string }>(p: Props<T>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { at, mark } = useMoving(p, body);
  const last = Math.max(1, Math.ceil(p.page.total / p.size));
  const first = (p.number - 1) * p.size + 1;
  return (
    <>
      <Table label={p.label} stale={p.stale}>
        <thead>
          <tr>
            {p.chosen && (
              <th scope="col" className="select">
                <SelectAll rows={p.page.items} chosen={p.chosen} choose={p.choose} />
              </th>
            )}
            {p.columns.map((c) => (
              <Heading key={c.title} of={c} sort={p.sort} set={p.setSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {p.page.items.map((row, i) => (
            <tr key={row.id} data-at={i === at || undefined} data-chosen={p.chosen?.has(row.id) || undefined}>
              {p.chosen && (
                <td className="select">
                  <input
                    type="checkbox"
                    data-reads=""
                    aria-label={text.selectRowI(i + 1)}
                    checked={p.chosen.has(row.id)}
                    onChange={(e) => mark(i, (e.nativeEvent as MouseEvent).shiftKey)}
                  />
                </td>
              )}
              {p.columns.map((c) => (
                <td key={c.title} className={`${c.number ? "num" : ""}${c.wide ? " wide" : ""}`}>
                  {c.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      <div className="row between small muted list-foot">
        <span>
          {text.firstToFirst2OfTotal(
            first.toLocaleString("en"),
            (first + p.page.items.length - 1).toLocaleString("en"),
            p.page.total.toLocaleString("en"),
          )}
        </span>
        {p.page.total > sizes[0] && (
          <div className="row">
            <label className="filter rows">
              <span>{text.rowsPerPage}</span>
              <select data-reads="" value={p.size} onChange={(e) => p.resize(Number(e.target.value))}>
                {sizes.map((n) => (
                  <option key={n} value={n}>
                    {n}
                  </option>
                ))}
              </select>
            </label>
            {last > 1 && (
              <nav className="row" aria-label={text.pages}>
                <Button reads disabled={p.number <= 1} onClick={() => p.turn(p.number - 1)}>
                  <ChevronLeft aria-hidden size={15} /> {text.previous}
                </Button>
                <Button reads disabled={p.number >= last} onClick={() => p.turn(p.number + 1)}>
                  {text.next} <ChevronRight aria-hidden size={15} />
                </Button>
              </nav>
            )}
          </div>
        )}
      </div>
    </>
  );
}

/** Selects all rows of the page, or none of them. */
function SelectAll<T extends { id: string }>({ rows, chosen, choose }: { rows: T[]; chosen: Map<string, T>; choose: Props<T>["choose"] }) {
  const all = rows.length > 0 && rows.every((r) => chosen.has(r.id));
  const turn = () => {
    const next = new Map(chosen);
    for (const r of rows) all ? next.delete(r.id) : next.set(r.id, r);
    choose(next);
  };
  return <input type="checkbox" data-reads="" aria-label={text.selectAllOnThisPage} checked={all} onChange={turn} />;
}

function Heading<T>({ of, sort, set }: { of: Column<T>; sort: string | undefined; set: (sort: string | undefined) => void }) {
  const name = of.sort;
  const way = name && sort === name ? "ascending" : name && sort === `-${name}` ? "descending" : undefined;
  const next = way === "ascending" ? `-${name}` : way === "descending" ? undefined : name;
  return (
    <th scope="col" className={of.number ? "num" : ""} aria-sort={way}>
      {name ? (
        <button type="button" className="sorter" data-reads="" onClick={() => set(next)}>
          {of.title}
          {way === "ascending" ? <ArrowUp aria-hidden size={12} /> : way === "descending" ? <ArrowDown aria-hidden size={12} /> : null}
        </button>
      ) : (
        of.title || <span className="sr">{text.actions}</span>
      )}
    </th>
  );
}

function useMoving<T extends { id: string }>(p: Props<T>, body: React.RefObject<HTMLTableSectionElement | null>) {
  const navigate = useGo();
  const [at, setAt] = useState(-1);
  const [from, setFrom] = useState(-1);
  const rows = p.page.items;
  const move = (by: number) => {
    const next = Math.min(Math.max(at + by, 0), rows.length - 1);
    const row = body.current?.rows[next];
    (row?.querySelector<HTMLElement>("td a") ?? row?.querySelector<HTMLElement>("a,button,input"))?.focus();
    row?.scrollIntoView({ block: "nearest" });
    setAt(next);
  };
  const mark = (i: number, range: boolean) => {
    const row = rows[i];
    if (!p.chosen || !row) return;
    const next = new Map(p.chosen);
    if (range && from >= 0) for (const r of rows.slice(Math.min(from, i), Math.max(from, i) + 1)) next.set(r.id, r);
    else if (next.has(row.id)) next.delete(row.id);
    else next.set(row.id, row);
    setFrom(i);
    p.choose(next);
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: (e) => {
      const row = rows[at];
      if (!p.open || !row || (e.target as Element).closest("a,button,summary,input")) return false;
      void navigate(p.open(row));
      return true;
    },
    x: () => mark(at, false),
    X: () => mark(at, true),
  });
  useSelectAll(p.chosen ? () => p.choose(new Map([...(p.chosen ?? []), ...rows.map((r) => [r.id, r] as const)])) : undefined);
  return { at, mark };
}
