import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight, Search } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ask, type Page } from "../api/client";
import { Button, Empty, Failure, Skeleton, Table } from "./kit";

/** One column of a list. */
export type Column<T> = { title: string; number?: boolean; cell: (row: T) => ReactNode };

/** A filter that is chosen by one click: a name, and what it asks for. */
export type View = { name: string; query: Record<string, string> };

type Props<T> = {
  path: string;
  columns: Column<T>[];
  views: View[];
  search?: string; // what the search looks through; none without it
  open?: (row: T) => { to: string; params?: Record<string, string> };
  empty: { title: string; words: ReactNode };
};

const size = 50;

/** The filters, the page and the search of a list stand in its address, so that it can be linked and gone back to. */
export function List<T extends { id: string }>({ path, columns, views, search, open, empty }: Props<T>) {
  const at = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const page = Math.max(1, Number(at.page ?? 1) || 1);
  const filters = Object.fromEntries(Object.entries(at).filter(([name]) => name !== "page")) as Record<string, string>;
  const query = useQuery({
    queryKey: [path, filters, page],
    queryFn: ({ signal }) => ask<Page<T>>("GET", path, { query: { ...filters, limit: size, offset: (page - 1) * size }, signal }),
    placeholderData: keepPreviousData,
  });
  const go = (next: Record<string, string | undefined>) =>
    void navigate({ to: ".", search: Object.fromEntries(Object.entries(next).filter(([, v]) => v)) as never });
  const chosen = views.find((v) => same(v.query, without(filters, "q")));
  return (
    <>
      <div className="row between filters">
        <nav className="row" aria-label="Views">
          {views.map((v) => (
            <button type="button" key={v.name} className="chip" aria-pressed={v === chosen} onClick={() => go({ ...v.query, q: at.q })}>
              {v.name}
            </button>
          ))}
        </nav>
        {search && <SearchBox what={search} value={at.q ?? ""} onChange={(q) => go({ ...filters, q, page: undefined })} />}
      </div>
      {query.isError ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Skeleton />
      ) : query.data.total === 0 ? (
        <Empty title={Object.keys(filters).length ? "Nothing is like that" : empty.title}>
          {Object.keys(filters).length ? <Button onClick={() => go({})}>Show everything</Button> : empty.words}
        </Empty>
      ) : (
        <Rows
          page={query.data}
          columns={columns}
          open={open}
          number={page}
          turn={(p) => go({ ...filters, page: p > 1 ? String(p) : undefined })}
        />
      )}
    </>
  );
}

function Rows<T extends { id: string }>(p: {
  page: Page<T>;
  columns: Column<T>[];
  open: Props<T>["open"];
  number: number;
  turn: (page: number) => void;
}) {
  const navigate = useNavigate();
  const body = useRef<HTMLTableSectionElement>(null);
  const [at, setAt] = useState(-1);
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || (e.target as HTMLElement).closest("input,textarea,select,[role=dialog]")) return;
      const move = e.key === "j" ? 1 : e.key === "k" ? -1 : 0;
      if (!move) return;
      setAt((was) => {
        const next = Math.min(Math.max(was + move, 0), p.page.items.length - 1);
        body.current?.rows[next]?.querySelector<HTMLElement>("a,button")?.focus();
        return next;
      });
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  }, [p.page.items.length]);
  const last = Math.max(1, Math.ceil(p.page.total / size));
  return (
    <>
      <Table label="Results">
        <thead>
          <tr>
            {p.columns.map((c) => (
              <th key={c.title} scope="col" className={c.number ? "num" : ""}>
                {c.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {p.page.items.map((row, i) => (
            <tr key={row.id} data-at={i === at || undefined} onDoubleClick={() => p.open && void navigate(p.open(row) as never)}>
              {p.columns.map((c) => (
                <td key={c.title} className={c.number ? "num" : ""}>
                  {c.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      <div className="row between small muted">
        <span>
          {(p.number - 1) * size + 1} to {Math.min(p.number * size, p.page.total)} of {p.page.total.toLocaleString("en")}
        </span>
        {last > 1 && (
          <nav className="row" aria-label="Pages">
            <Button disabled={p.number <= 1} onClick={() => p.turn(p.number - 1)}>
              <ChevronLeft aria-hidden size={15} /> Before
            </Button>
            <Button disabled={p.number >= last} onClick={() => p.turn(p.number + 1)}>
              After <ChevronRight aria-hidden size={15} />
            </Button>
          </nav>
        )}
      </div>
    </>
  );
}

function SearchBox({ what, value, onChange }: { what: string; value: string; onChange: (q: string) => void }) {
  const [typed, setTyped] = useState(value);
  const box = useRef<HTMLInputElement>(null);
  const told = useRef(onChange);
  told.current = onChange;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => told.current(typed), 250);
    return () => clearTimeout(timer);
  }, [typed, value]);
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.key !== "/" || (e.target as HTMLElement).closest("input,textarea,select")) return;
      e.preventDefault();
      box.current?.focus();
    };
    document.addEventListener("keydown", key);
    return () => document.removeEventListener("keydown", key);
  }, []);
  return (
    <label className="search">
      <Search aria-hidden size={16} />
      <span className="sr">Search {what}</span>
      <input
        ref={box}
        type="search"
        value={typed}
        placeholder={`Search ${what}`}
        onChange={(e) => setTyped(e.target.value)}
        maxLength={200}
      />
    </label>
  );
}

const without = (of: Record<string, string>, name: string) => Object.fromEntries(Object.entries(of).filter(([n]) => n !== name));

function same(a: Record<string, string>, b: Record<string, string>) {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((n) => a[n] === b[n]);
}
