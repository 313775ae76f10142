import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useSyncExternalStore } from "react";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { currentOverlay, subscribeOverlay } from "./decisions";
import type { Detail, Task } from "./tasks";

const size = 100; // tasks of the first page, which is there soon
const further = 500; // tasks of each that follows: after every decision all of them are read again
const every = 20_000; // milliseconds

/** The tasks that a query asks for, as far as they have been read, without those that have just been decided. */
export function useInbox(query: Record<string, string>) {
  const overlay = useSyncExternalStore(subscribeOverlay, currentOverlay);
  const list = useInfiniteQuery({
    queryKey: ["/decision-tasks", "pages", query],
    queryFn: ({ pageParam, signal }) =>
      ask<Page<Task>>("GET", "/decision-tasks", {
        query: { ...query, ...(pageParam ? { cursor: pageParam, limit: further } : { limit: size }) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    // Many pages are not read again by themselves: what is new comes when one asks for it, or decides.
    refetchInterval: (q) => ((q.state.data?.pages.length ?? 1) > 1 ? false : every),
  });
  const all = useMemo(() => {
    const seen = new Set<string>();
    return (list.data?.pages ?? []).flatMap((p) => p.items).filter((t) => !seen.has(t.id) && seen.add(t.id));
  }, [list.data]);
  const waits = !query.state;
  const tasks = useMemo(() => (waits ? all.filter((t) => !overlay.gone.has(t.id)) : all), [all, overlay, waits]);
  const gone = all.length - tasks.length;
  const total = Math.max(tasks.length, (list.data?.pages.at(-1)?.total ?? 0) - gone);
  return { list, tasks, total, refused: overlay.refused };
}

const most = 10_000; // tasks that are put together

/** What is put together is read to its end: a group tells how many there are of it. Gives whether it is being read. */
export function useLoadAll(list: ReturnType<typeof useInbox>["list"], together: boolean, read: number): boolean {
  const { hasNextPage, isFetching, isError, isPlaceholderData, fetchNextPage } = list;
  const wanted = together && hasNextPage && !isError && read < most;
  useEffect(() => {
    if (wanted && !isFetching && !isPlaceholderData) void fetchNextPage();
  }, [wanted, isFetching, isPlaceholderData, fetchNextPage]);
  return wanted;
}

/** How much waits, by kind and by what is alike. */
export function useCounts(assigned: string) {
  return useGet<Of<"DecisionSummary">>("/decision-tasks/summary", { assigned }, { every, keep: true }).data;
}

/** The open task: as the list has it at once, and with its history when that has come. Who runs through the list by J does not ask for each. */
export function useOpen(id: string | undefined, tasks: Task[]) {
  const calm = useDeferredValue(id);
  const found = useQuery({
    queryKey: [`/decision-tasks/${calm}`],
    queryFn: async ({ signal }) => {
      await new Promise((r) => setTimeout(r, 120));
      if (signal.aborted) throw new DOMException("left", "AbortError");
      return ask<Detail>("GET", `/decision-tasks/${calm}`, { signal });
    },
    enabled: Boolean(calm),
    refetchInterval: every,
    retry: false,
  });
  const full = found.data?.id === id ? found.data : undefined;
  const listed = tasks.find((t) => t.id === id);
  const task = full && (!listed || full.version >= listed.version) ? full : listed;
  return { task, full, error: found.error, missing: Boolean(id) && !task && found.isError, retry: () => void found.refetch() };
}
