import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import * as text from "#text/kit";
import { ask, type Page } from "../api/client";
import { CsvButton } from "./csv";
import { Filters } from "./filters";
import { useFitting } from "./fitting";
import { Button, Empty, Failure, Skeleton } from "./kit";
import { useGo } from "./link";
import { type Column, type ListProps, sizes, type View } from "./listtypes";
import { Rows } from "./rows";
import { SavedViews } from "./views";

export type { Column, ListProps, View };

const usual = 50;

/** A list of the API. Its filters, order, page and search stand in the address, so that it can be linked and gone back to. */
export function List<T extends { id: string }>(p: ListProps<T>) {
  const { at, go, prefix } = useAddress(p.prefix ?? "");
  const page = Math.max(1, Number(at.page ?? 1) || 1);
  const size = sizes.find((s) => String(s) === at.size) ?? usual;
  const names = new Set([...(p.filters ?? []).map((f) => f.name), ...(p.views ?? []).flatMap((v) => Object.keys(v.query)), "q", "sort"]);
  const filters = Object.fromEntries(Object.entries(at).filter(([n, v]) => names.has(n) && v)) as Record<string, string>;
  const asked = { ...p.fixed, ...filters };
  const query = useQuery({
    queryKey: [p.path, asked, page, size],
    queryFn: async ({ signal }) => {
      const got = await ask<Page<T>>("GET", p.path, { query: { ...asked, limit: size, offset: (page - 1) * size }, signal });
      return p.idOf ? { ...got, items: got.items.map((row) => ({ ...row, id: p.idOf?.(row) ?? "" })) } : got;
    },
    placeholderData: keepPreviousData,
    refetchInterval: p.every ?? false,
  });
  const [chosen, choose] = useState<Map<string, T>>(new Map());
  const line = useRef<HTMLDivElement>(null);
  const fitting = useFitting(line, p.filters?.length ?? 0);
  const set = (next: Record<string, string | undefined>) => {
    choose(new Map());
    go({ size: at.size, ...next });
  };
  const narrowed = Object.keys(filters).some((n) => n !== "sort");
  const then = filters.as_of && page === 1 && !Object.keys(filters).some((n) => n !== "sort" && n !== "as_of") ? p.emptyThen : undefined;
  return (
    <div className="stack tight list">
      {p.bulk && chosen.size > 0 && (
        <div className="bulk-slot">
          <div className="bulk row" role="toolbar" aria-label={text.selection}>
            <strong>{text.sizeSelected(chosen.size)}</strong>
            {p.bulk([...chosen.values()], () => choose(new Map()))}
            <Button reads tone="quiet" onClick={() => choose(new Map())}>
              {text.clear}
            </Button>
          </div>
        </div>
      )}
      <div className="list-line" ref={line}>
        <SavedViews place={p.path + prefix} label={p.label} views={p.views ?? []} filters={filters} go={set} />
        <Filters room={fitting} of={p.filters ?? []} search={p.search} value={filters} set={(change) => set({ ...filters, ...change })} />
        {p.csv && <CsvButton name={p.csv} path={p.path} query={asked} columns={p.columns} />}
      </div>
      {query.isError && !query.data ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending || p.wait ? (
        <Skeleton rows={Math.min(size, 12)} />
      ) : query.data.items.length === 0 ? (
        <Empty title={then?.title ?? (narrowed || page > 1 ? text.noResultsMatchTheseFilters : p.empty.title)}>
          {then && <p>{then.words}</p>}
          {narrowed || page > 1 ? (
            <Button reads onClick={() => set({})}>
              {then ? text.backToToday : text.clearFilters}
            </Button>
          ) : (
            p.empty.words
          )}
        </Empty>
      ) : (
        <Rows
          label={p.label ?? text.results}
          page={query.data}
          stale={query.isPlaceholderData}
          columns={p.columns.filter((c) => c.shown?.(query.data.items) ?? true)}
          open={p.open}
          sort={at.sort}
          setSort={(sort) => set({ ...filters, sort })}
          number={page}
          size={size}
          resize={(n) => set({ ...filters, size: n === usual ? undefined : String(n) })}
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
  const navigate = useGo();
  const mine = (n: string) => n.startsWith(prefix);
  const at = Object.fromEntries(
    Object.entries(search)
      .filter(([n]) => mine(n))
      .map(([n, v]) => [n.slice(prefix.length), v]),
  ) as Record<string, string | undefined>;
  const go = (next: Record<string, string | undefined>) => {
    const others = prefix ? Object.entries(search).filter(([n]) => !mine(n)) : [];
    const own = Object.entries(next).map(([n, v]) => [prefix + n, v] as const);
    void navigate({ to: ".", search: Object.fromEntries([...others, ...own].filter(([, v]) => v)), resetScroll: false });
  };
  return { at, go, prefix };
}
