import { keepPreviousData, type QueryKey, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useSyncExternalStore } from "react";
import { showRefusal, showToast } from "../kit/toast";
import { actingAs, subscribeActing } from "./acting";
import { ask, type Query } from "./client";
import { current, subscribe } from "./session";
import type { Me } from "./types";
import { personVisible } from "./visible";

/** Reads one thing of the API. Its key is [path, query], so that useAct can name what has changed by the beginning of a path. */
export function useGet<T>(
  path: string,
  query: Query = {},
  more: { every?: number | (() => number | false); enabled?: boolean; keep?: boolean } = {},
) {
  return useQuery<T>({
    queryKey: [path, query],
    queryFn: ({ signal }) => ask<T>("GET", path, { query, signal }),
    enabled: more.enabled ?? true,
    refetchInterval: more.every ?? false,
    ...(more.keep ? { placeholderData: keepPreviousData } : {}),
  });
}

type Act<V, R> = {
  /** What is done; key is the Idempotency-Key of this intention. */
  act: (v: V, key: string) => Promise<R>;
  /** What is said when it is done; nothing without it. */
  done?: string | ((r: R, v: V) => string | undefined);
  /** Beginnings of the paths whose lists and objects have changed. */
  changes?: string[];
  /** What comes after it is done. */
  after?: (r: R, v: V) => void;
  /** A form shows the refusal itself; everything else says it in a toast. */
  quiet?: boolean;
};

/**
 * Does something by the API. Whoever tries the same thing again after the service was away sends the same Idempotency-Key: done twice it
 * is done once. A refusal that the service has thought about ends the intention.
 */
export function useAct<V = void, R = unknown>(a: Act<V, R>) {
  const queries = useQueryClient();
  const meant = useRef<{ what: string; key: string }>(undefined);
  return useMutation<R, Error, V>({
    mutationFn: async (v) => {
      const what = JSON.stringify(v) ?? "";
      if (meant.current?.what !== what) meant.current = { what, key: crypto.randomUUID() };
      const { key } = meant.current;
      try {
        const r = await a.act(v, key);
        meant.current = undefined;
        return r;
      } catch (e) {
        if ((e as { status?: number }).status ?? 0) meant.current = undefined;
        throw e;
      }
    },
    onSuccess: (r, v) => {
      const words = typeof a.done === "function" ? a.done(r, v) : a.done;
      if (words) showToast(words);
      a.after?.(r, v);
    },
    onError: (e) => {
      if (!a.quiet) showRefusal(e);
    },
    onSettled: () => {
      if (!a.changes) return undefined;
      return queries.invalidateQueries({ predicate: (q) => begins(q.queryKey, a.changes ?? []) });
    },
  });
}

function begins(key: QueryKey, paths: string[]): boolean {
  const path = key[0];
  return typeof path === "string" && paths.some((p) => path.startsWith(p));
}

/** Who is signed in, as GET /auth/me tells; in another tenant, when an operator acts in one. */
export function useMe(): Me | undefined {
  const session = useSyncExternalStore(subscribe, current);
  const acting = useSyncExternalStore(subscribeActing, actingAs);
  return useQuery({
    queryKey: ["/auth/me", acting?.id ?? ""],
    queryFn: ({ signal }) => ask<Me>("GET", "/auth/me", { signal }),
    enabled: session.state === "in",
    staleTime: 60_000,
  }).data;
}

/** What somebody may be let do. The service decides all the same. */
export type Permissions = {
  admin: boolean;
  manager: boolean;
  owner: boolean;
  auditor: boolean;
  operator: boolean;
  oversees: boolean;
  readOnly: boolean;
};

/** The roles of whoever is signed in. oversees: sees the whole tenant, as administrators and auditors do. */
export function useMay(): Permissions {
  const me = useMe();
  const session = useSyncExternalStore(subscribe, current);
  const roles: string[] = me?.roles ?? (session.state === "in" ? session.user.roles : []);
  const has = (role: string) => roles.includes(role);
  return {
    admin: has("admin"),
    manager: has("manager"),
    owner: has("resource_owner"),
    auditor: has("auditor"),
    operator: me?.control_plane_admin ?? false,
    oversees: has("admin") || has("auditor"),
    readOnly: me?.read_only ?? (roles.length === 1 && has("auditor")),
  };
}

/** Whether the record of a person can be opened. Users who do not see the whole tenant ask the list of people, which names nobody hidden. */
export function useSeenPerson(id: string | undefined): boolean {
  const may = useMay();
  const enabled = Boolean(id) && !may.oversees;
  const found = useQuery({ queryKey: ["/identities", "visible", id], queryFn: () => personVisible(id ?? ""), enabled });
  return may.oversees || (enabled && found.data === true);
}
