import * as texts from "#text/inbox";
import "./inbox.css";
import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useMay } from "../../api/use";
import { Failure, Head, Skeleton } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { useActionDialog } from "./actiondialog";
import { Bulk } from "./bulk";
import { useChosen } from "./chosen";
import { MoreFilters, Themes } from "./filters";
import { KeyFooter, useInboxKeys } from "./inbox-keys";
import { Tasks } from "./list";
import { Refusals } from "./refusals";
import { EmptyInbox, InboxSummary } from "./summary";
import { groupsOf, queryOf, type Search } from "./tasks";
import { useCounts, useInbox, useLoadAll, useOpen } from "./use-inbox";

// The list comes first; what is beside it is fetched at once as well, and is there when somebody opens a task.
const beside = import("./detail");
const Detail = lazy(() => beside.then((m) => ({ default: m.Detail })));

/** Everything that waits for a decision: the list, and the task that is open beside it. */
export default function Inbox() {
  const at = useAddress();
  const may = useMay();
  const day = new Date().toDateString();
  const query = useMemo(() => queryOf(at.search, may.readOnly, new Date(day)), [at.search, may.readOnly, day]);
  const { list, tasks, total, refused } = useInbox(query);
  const reading = useLoadAll(list, Boolean(at.search.group), tasks.length);
  const counts = useCounts(query.assigned ?? "mine");
  const groups = useMemo(() => groupsOf(tasks, at.search.group), [tasks, at.search.group]);
  const shown = useMemo(() => groups.flatMap((g) => g.tasks), [groups]);
  const open = useOpen(at.task, shown);
  const picks = useChosen(shown);
  const asking = useActionDialog(open.task, open.full, picks.chosen, shown, at.show, picks.clear);
  const now = useMinute();
  const mayDecide = !may.readOnly;
  const waits = !at.search.state;
  useInboxKeys({
    tasks: shown,
    open: open.task,
    at: at.task,
    chosen: picks.chosen,
    mark: picks.mark,
    all: () => picks.all(shown),
    clear: picks.clear,
    show: at.show,
    act: asking.act,
    doings: asking.doings,
    undoLast: asking.undoLast,
    more: list.hasNextPage && !list.isFetching ? () => void list.fetchNextPage() : undefined,
    mayDecide: mayDecide && waits,
  });
  const groupCounts = useMemo(
    () => new Map((at.search.group === "alike" ? (counts?.groups ?? []) : []).map((g) => [g.group_key ?? "", g.open])),
    [counts, at.search.group],
  );
  return (
    <>
      <Head title={texts.inbox} lead={waits ? texts.totalOpen(total.toLocaleString("en")) : texts.closedTasks(total)}>
        <Link to="/inbox/delegations" className="button">
          {texts.delegations}
        </Link>
      </Head>
      <div className={`inbox${at.task ? " reading" : ""}`}>
        <div className="inbox-list stack tight">
          <Themes search={at.search} counts={counts} set={at.set} />
          <MoreFilters search={at.search} set={at.set} readOnly={may.readOnly} />
          <Refusals of={refused} />
          {mayDecide && picks.chosen.size > 0 && (
            <Bulk
              chosen={[...picks.chosen.values()]}
              total={total}
              query={query}
              choose={picks.replace}
              clear={picks.clear}
              act={(a) => asking.act(a)}
              progress={asking.progress}
            />
          )}
          {list.isError && !list.data ? (
            <Failure error={list.error} retry={() => void list.refetch()} />
          ) : list.isPending ? (
            <Skeleton />
          ) : shown.length === 0 ? (
            <EmptyInbox search={at.search} set={at.set} />
          ) : (
            <>
              {reading && (
                <p className="small muted" role="status">
                  {texts.loadingTasksCountOfTotal(tasks.length.toLocaleString("en"), total.toLocaleString("en"))}
                </p>
              )}
              <Tasks
                groups={groups}
                open={at.task}
                chosen={picks.chosen}
                refused={refused}
                selectable={mayDecide && waits}
                now={now}
                search={at.search}
                counts={groupCounts}
                mark={picks.mark}
                markGroup={picks.group}
                show={at.show}
              />
            </>
          )}
          {list.hasNextPage && (
            <MoreRows read={tasks.length} total={total} busy={list.isFetchingNextPage || reading} more={() => void list.fetchNextPage()} />
          )}
          <KeyFooter mayDecide={mayDecide && waits} />
        </div>
        <div className="inbox-panel">
          {open.task ? (
            <Suspense fallback={<Skeleton rows={6} />}>
              <Detail key={open.task.id} task={open.task} full={open.full} error={open.error} retry={open.retry} doings={asking.doings} />
            </Suspense>
          ) : open.missing ? (
            <Failure error={open.error} retry={open.retry} />
          ) : at.task ? (
            <Skeleton rows={5} />
          ) : (
            <InboxSummary counts={counts} />
          )}
        </div>
      </div>
      {asking.dialog}
    </>
  );
}

/** What the address says, and how it is changed. */
function useAddress() {
  const { task, ...rest } = useSearch({ strict: false }) as Search;
  const navigate = useGo();
  const text = JSON.stringify(rest);
  const search = useMemo(() => JSON.parse(text) as Search, [text]);
  const open = useRef(task);
  open.current = task;
  // Rows hold on to what changes the address: it stays the same while one goes from task to task.
  const doings = useMemo(() => {
    const go = (next: Search, replace: boolean) =>
      void navigate({
        to: "/inbox",
        search: Object.fromEntries(Object.entries(next).filter(([, v]) => v)),
        replace,
        resetScroll: false,
      });
    return {
      set: (change: Search) => go({ ...search, ...change }, false),
      /** Opens a task, or closes it; running through the list leaves one entry in the browser's history. */
      show: (id: string | undefined) => go({ ...search, ...(id ? { task: id } : {}) }, Boolean(open.current) && Boolean(id)),
    };
  }, [navigate, search]);
  return { search, task, ...doings };
}

function MoreRows({ read, total, busy, more }: { read: number; total: number; busy: boolean; more: () => void }) {
  return (
    <div className="row between small muted inbox-more">
      <span>{texts.readOfTotal(read.toLocaleString("en"), total.toLocaleString("en"))}</span>
      <button type="button" className="button" data-reads="" disabled={busy} onClick={more}>
        {busy ? texts.loading : texts.showMore}
      </button>
    </div>
  );
}

/** The time, as far as it matters for what is overdue: once in half a minute. */
function useMinute(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
