import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import * as text from "#text/people";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { DayFilter } from "../../kit/dayinput";
import { Differences } from "../../kit/diff";
import { Badge, Button, Empty, Failure, Skeleton, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";

type Event = Of<"HistoryEvent">;

const kinds = [
  ["record", text.record],
  ["state", text.stateLower],
  ["account", text.accountsLower],
  ["grant", text.accessLower],
  ["reason", text.reasonsLower],
  ["role", text.rolesLower],
  ["request", text.requests],
  ["provisioning", text.changesOfSystems],
  ["audit", text.actionsOfPeople],
] as const;
const words = new Map<string, string>(kinds);

// "An hour ago" is no evidence: each entry says its day and time, by the clock of whoever looks.
const clock = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** What has happened, the newest first, in the service's own words. path answers history events. */
export function Timeline({ path, label }: { path: string; label: string }) {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useGo();
  const go = (change: Record<string, string | undefined>) =>
    void navigate({ to: ".", search: { ...search, ...change }, resetScroll: false, replace: true });
  const query = { kind: search.kind, from: search.from, to: search.to };
  const all = useInfiniteQuery({
    queryKey: [path, query, "timeline"],
    queryFn: ({ signal, pageParam }) => ask<Page<Event>>("GET", path, { query: { ...query, limit: 50, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
  const events = all.data?.pages.flatMap((p) => p.items) ?? [];
  return (
    <section className="stack tight" aria-label={label}>
      <div className="row filters">
        <label className={`filter${search.kind ? " on" : ""}`}>
          <span className="sr">{text.kind}</span>
          <select data-reads="" value={search.kind ?? ""} onChange={(e) => go({ kind: e.target.value || undefined })}>
            <option value="">{text.kindAll}</option>
            {kinds.map(([v, w]) => (
              <option key={v} value={v}>
                {w}
              </option>
            ))}
          </select>
        </label>
        <DayFilter words={text.from} value={search.from ?? ""} set={(from) => go({ from: from || undefined })} />
        <DayFilter words={text.to} value={search.to ?? ""} set={(to) => go({ to: to || undefined })} />
      </div>
      {all.isError ? (
        <Failure error={all.error} retry={() => void all.refetch()} />
      ) : all.isPending ? (
        <Skeleton rows={6} />
      ) : events.length === 0 ? (
        <Empty title={text.noEventsInThisPeriod}>{text.historyBeginsOnTheDayOn}</Empty>
      ) : (
        <ol className="timeline card">
          {events.map((e) => (
            <EventLine key={e.id} of={e} path={path} />
          ))}
        </ol>
      )}
      {all.hasNextPage && (
        <div className="row">
          <Button reads disabled={all.isFetchingNextPage} onClick={() => void all.fetchNextPage()}>
            {all.isFetchingNextPage ? text.loading : text.showEarlierEvents}
          </Button>
        </div>
      )}
    </section>
  );
}

const places: Record<string, string> = {
  identity: "/people/$id",
  account: "/accounts/$id",
  entitlement: "/access/$id",
  role: "/roles/$id",
  access_request: "/requests/$id",
};

/** One event; what the timeline itself is about is not linked. */
function EventLine({ of: e, path }: { of: Event; path: string }) {
  const changes = (e.changes ?? []).map((c) => ({ field: c.field, from: c.before, to: c.after, hidden: c.hidden }));
  const refs = (e.refs ?? []).filter((r) => places[r.type] && r.display && !path.includes(r.id));
  return (
    <li>
      <div className="row between small muted">
        <span className="row">
          <When at={e.at} /> · {clock.format(new Date(e.at))}
          {e.who && <bdi>{e.who.display}</bdi>}
        </span>
        <Badge>{words.get(e.kind) ?? e.kind}</Badge>
      </div>
      <p dir="auto">{e.text}</p>
      {changes.length > 0 && (
        <details>
          <summary data-reads="" className="small">
            {text.differences}
          </summary>
          <Differences of={changes} />
        </details>
      )}
      {refs.length > 0 && (
        <p className="small row">
          {refs.slice(0, 6).map((r) => (
            <Link key={`${r.type}${r.id}`} to={places[r.type] as "/people/$id"} params={{ id: r.id }} className="person-link">
              <bdi>{r.display}</bdi>
            </Link>
          ))}
        </p>
      )}
    </li>
  );
}
