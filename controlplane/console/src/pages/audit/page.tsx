import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useRef } from "react";
import * as text from "#text/audit";
import { ask, download, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Button, Empty, Failure, Head, Skeleton } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { Entries } from "./entries";
import { Entry } from "./entry";
import { Facets } from "./facets";
import { VerifyChain } from "./verifychain";
import { type AuditFilters, queryOf } from "./words";
import "./audit.css";

type Event = Of<"Event">;

/** The log of a tenant: who did what, to what, when, from where, and how it ended. */
export default function Audit() {
  const search = useSearch({ strict: false }) as AuditFilters;
  const navigate = useGo();
  const go = (next: AuditFilters) => void navigate({ to: ".", search: next, resetScroll: false });
  const query = queryOf(search);
  return (
    <>
      <Head title={text.auditLog} lead={text.whoDidWhatWhenFromWhere}>
        <Export query={query} />
        <Link to="/settings/audit" className="button">
          {text.retentionAndStreams}
        </Link>
      </Head>
      <VerifyChain />
      <Facets of={search} go={go} />
      <Log query={query} search={search} narrowed={Object.values(query).some(Boolean)} clear={() => go({})} />
      <Entry id={search.event} close={() => go({ ...search, event: "" })} search={search} go={go} />
    </>
  );
}

type LogProps = { query: ReturnType<typeof queryOf>; search: AuditFilters; narrowed: boolean; clear: () => void };

function Log({ query, search, narrowed, clear }: LogProps) {
  const log = useInfiniteQuery({
    queryKey: ["/audit-events", query, "walk"],
    queryFn: ({ signal, pageParam }) =>
      ask<Page<Event>>("GET", "/audit-events", { query: { ...query, limit: 100, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
  const more = () => void log.fetchNextPage();
  const readOn = log.hasNextPage && !log.isFetchingNextPage && !log.isError;
  const end = useLoadOn(readOn, more);
  const events = useMemo(() => (log.data?.pages ?? []).flatMap((p) => p.items), [log.data]);
  if (log.isError && !log.data) return <Failure error={log.error} retry={() => void log.refetch()} />;
  if (log.isPending) return <Skeleton />;
  const total = log.data.pages[0]?.total ?? 0;
  if (events.length === 0)
    return (
      <Empty title={narrowed ? text.noResultsMatchTheseFilters : text.theLogIsEmpty}>
        {narrowed && (
          <Button reads onClick={clear}>
            {text.clearFilters}
          </Button>
        )}
      </Empty>
    );
  return (
    <>
      <Entries events={events} total={total} search={search} busy={log.isFetchingNextPage} more={readOn ? more : undefined} />
      <div className="row between small muted" ref={end}>
        <span role="status">{text.countOfTotal(events.length.toLocaleString("en"), total.toLocaleString("en"))}</span>
        {log.hasNextPage && (
          <Button reads disabled={log.isFetchingNextPage} onClick={more}>
            {log.isFetchingNextPage ? text.loading : text.showOlderEntries}
          </Button>
        )}
      </div>
      {log.isError && <Failure error={log.error} retry={more} />}
    </>
  );
}

/** Loads on when the end comes near; the button does the same for the keyboard. */
function useLoadOn(on: boolean, load: () => void) {
  const end = useRef<HTMLDivElement>(null);
  const now = useRef(load);
  now.current = load;
  useEffect(() => {
    const at = end.current;
    if (!on || !at) return;
    const seen = new IntersectionObserver((e) => e.some((x) => x.isIntersecting) && now.current(), { rootMargin: "300px" });
    seen.observe(at);
    return () => seen.disconnect();
  }, [on]);
  return end;
}

/** The server's own export of what is filtered. JSON lines prove themselves, and take a period alone: a chain with holes proves nothing. */
function Export({ query }: { query: ReturnType<typeof queryOf> }) {
  const get = useAct<"csv" | "ocsf" | "ndjson">({
    act: (format) => {
      const narrowed = format === "ndjson" ? { from: query.from, to: query.to } : query;
      const ending = format === "csv" ? "csv" : "ndjson";
      return download("/audit-events/export", `audit${format === "ocsf" ? "-ocsf" : ""}.${ending}`, { query: { ...narrowed, format } });
    },
    done: text.exportCompletedTheExportIsRecorded,
    changes: ["/audit-events"],
  });
  return (
    <Menu
      reads
      words={get.isPending ? text.exporting : text.exportLabel}
      of={[
        { words: text.filteredEntriesAsCsv, act: () => get.mutate("csv") },
        { words: text.filteredEntriesAsOcsf, act: () => get.mutate("ocsf") },
        { words: text.wholePeriodAsVerifiableJsonLines, act: () => get.mutate("ndjson") },
      ]}
    />
  );
}
