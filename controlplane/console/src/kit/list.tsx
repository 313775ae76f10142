import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ask, type Page, type Query } from "../api/client";
import { CsvButton } from "./csv";
import { type Filter, Filters } from "./filters";
import { Button, Empty, Failure, Skeleton } from "./kit";
import { Rows } from "./rows";
import { SavedViews } from "./views";

/** One column of a list. sort: the API's word for it, where it sorts. text: what the CSV says; a column without it is not in the CSV. */
export type Column<T> = {
  title: string;
  number?: boolean;
  wide?: boolean;
  sort?: string;
  cell: (row: T) => ReactNode;
  text?: (row: T) => string | number | boolean | null | undefined;
};

/** A filter that is chosen by one click: a name, and what it asks for. */
export type View = { name: string; query: Record<string, string> };

export type ListProps<T> = {
  path: string;
  /** Asked for always, and not shown in the address. */
  fixed?: Query;
  columns: Column<T>[];
  views?: View[];
  filters?: Filter[];
  /** What the search looks through; no search without it. */
  search?: string;
  open?: (row: T) => { to: string; params?: Record<string, string>; search?: Record<string, string> };
  /** What can be done with the rows that were selected; without it nothing can be selected. */
  bulk?: (rows: T[], clear: () => void) => ReactNode;
  empty: { title: string; words: ReactNode };
  /** What is said where nothing is there on the day of the filter as_of: it may be before anything was known. */
  emptyThen?: { title: string; words: ReactNode };
  /** The name of the CSV without .csv; no CSV without it. */
  csv?: string;
  /** Milliseconds between two looks, for lists that change by themselves. */
  every?: number;
  /** Whether something that its cells tell is still being read: rows come when all of it is there, and stay where they are. */
  wait?: boolean;
  /** Tells lists on the same page apart in the address. */
  prefix?: string;
  label?: string;
  /** What tells rows apart that come without an id. */
  idOf?: (row: T) => string;
};

const size = 50;

/** A list of the API. Its filters, order, page and search stand in the address, so that it can be linked and gone back to. */
export function List<T extends { id: string }>(p: ListProps<T>) {
  const { at, go, prefix } = useAddress(p.prefix ?? "");
  const page = Math.max(1, Number(at.page ?? 1) || 1);
  const names = new Set([...(p.filters ?? []).map((f) => f.name), ...(p.views ?? []).flatMap((v) => Object.keys(v.query)), "q", "sort"]);
  const filters = Object.fromEntries(Object.entries(at).filter(([n, v]) => names.has(n) && v)) as Record<string, string>;
  const asked = { ...p.fixed, ...filters };
  const query = useQuery({
    queryKey: [p.path, asked, page],
    queryFn: async ({ signal }) => {
      const got = await ask<Page<T>>("GET", p.path, { query: { ...asked, limit: size, offset: (page - 1) * size }, signal });
      return p.idOf ? { ...got, items: got.items.map((row) => ({ ...row, id: p.idOf?.(row) ?? "" })) } : got;
    },
    placeholderData: keepPreviousData,
    refetchInterval: p.every ?? false,
  });
  const [chosen, choose] = useState<Map<string, T>>(new Map());
  const set = (next: Record<string, string | undefined>) => {
    choose(new Map());
    go(next);
  };
  const narrowed = Object.keys(filters).some((n) => n !== "sort");
  const then = filters.as_of && page === 1 && !Object.keys(filters).some((n) => n !== "sort" && n !== "as_of") ? p.emptyThen : undefined;
  return (
    <div className="stack tight">
      <div className="row between filters">
        <SavedViews place={p.path + prefix} views={p.views ?? []} filters={filters} go={set} />
        <div className="row">
          <Filters of={p.filters ?? []} search={p.search} value={filters} set={(change) => set({ ...filters, ...change })} />
          {p.csv && <CsvButton name={p.csv} path={p.path} query={asked} columns={p.columns} />}
        </div>
      </div>
      {p.bulk && chosen.size > 0 && (
        <div className="bulk row" role="toolbar" aria-label="What was selected">
          <strong>{chosen.size} selected</strong>
          {p.bulk([...chosen.values()], () => choose(new Map()))}
          <Button reads tone="quiet" onClick={() => choose(new Map())}>
            Clear
          </Button>
        </div>
      )}
      {query.isError && !query.data ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending || p.wait ? (
        <Skeleton />
      ) : query.data.items.length === 0 ? (
        <Empty title={then?.title ?? (narrowed || page > 1 ? "Nothing is like that" : p.empty.title)}>
          {then && <p>{then.words}</p>}
          {narrowed || page > 1 ? (
            <Button reads onClick={() => set({})}>
              {then ? "Back to today" : "Show everything"}
            </Button>
          ) : (
            p.empty.words
          )}
        </Empty>
      ) : (
        <Rows
          label={p.label ?? "Results"}
          page={query.data}
          stale={query.isPlaceholderData}
          columns={p.columns}
          open={p.open}
          sort={at.sort}
          setSort={(sort) => set({ ...filters, sort })}
          number={page}
          size={size}
          turn={(n) => set({ ...filters, page: n > 1 ? String(n) : undefined })}
          chosen={p.bulk ? chosen : undefined}
          choose={choose}
        />
      )}
    </div>
  );
}

/** The part of the address that is this list's. */
function useAddress(prefix: string) {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const mine = (n: string) => n.startsWith(prefix);
  const at = Object.fromEntries(
    Object.entries(search)
      .filter(([n]) => mine(n))
      .map(([n, v]) => [n.slice(prefix.length), v]),
  ) as Record<string, string | undefined>;
  const go = (next: Record<string, string | undefined>) => {
    const others = prefix ? Object.entries(search).filter(([n]) => !mine(n)) : [];
    const own = Object.entries(next).map(([n, v]) => [prefix + n, v] as const);
    void navigate({ to: ".", search: Object.fromEntries([...others, ...own].filter(([, v]) => v)) as never, resetScroll: false });
  };
  return { at, go, prefix };
}
