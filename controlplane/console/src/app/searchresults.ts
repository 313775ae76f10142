import { useQuery } from "@tanstack/react-query";
import * as text from "#text/app";
import { ask, type Page } from "../api/client";
import type { Permissions } from "../api/use";
import { useDebounced } from "../kit/debounce";
import { access, connectors, people, type Source } from "../kit/pick";
import { useSystems } from "../kit/systems";
import { find, useListed } from "../pages/help/read";
import type { PaletteEntry } from "./commands";

/** A part of the palette: what it is, and what is in it. */
export type Section = { title: string; offers: PaletteEntry[] };

const shortest = 2; // letters, before the service is asked

/** What the service finds by what is typed: people, access, connectors and documentation. busy while it still looks; failed names what could not be searched. */
export function useSearchResults(typed: string, may: Permissions): { sections: Section[]; busy: boolean; failed: string[] } {
  // What was asked for before is given up: a fifth of a second after the last key.
  const q = useDebounced(typed.trim(), 200);
  const on = q.length >= shortest;
  const who = useSome("/identities", q, on, people, "/people/$id");
  const what = useSome("/entitlements", q, on, access, "/access/$id");
  const systems = useSome("/connectors", q, on && may.oversees, connectors, "/connectors/$id");
  const docs = useListed();
  const pages: PaletteEntry[] = on
    ? find(docs.data ?? [], q, 4).map((h) => ({
        id: `doc ${h.page}#${h.at}`,
        words: h.title,
        ...(h.at ? { detail: h.words } : {}),
        way: { to: "/help/$page", params: { page: h.page }, ...(h.at ? { hash: h.at } : {}) },
      }))
    : [];
  const all = [
    { title: text.people, from: who },
    { title: text.access, from: what },
    { title: text.connectors, from: systems },
  ];
  return {
    sections: [...all.map((s) => ({ title: s.title, offers: on ? s.from.offers : [] })), { title: text.documentation, offers: pages }],
    busy: typed.trim() !== q || (on && all.some((s) => s.from.busy)),
    failed: on ? all.filter((s) => s.from.failed).map((s) => s.title.toLowerCase()) : [],
  };
}

function useSome<T>(path: string, q: string, on: boolean, source: Source<T>, to: string) {
  const systems = useSystems(source.inSystems ?? false);
  const found = useQuery({
    queryKey: [path, "palette", q],
    queryFn: ({ signal }) => ask<Page<T>>("GET", path, { query: { q, limit: 5 }, signal }),
    enabled: on,
    placeholderData: (was) => was,
  });
  const offers: PaletteEntry[] = (found.data?.items ?? []).map((row) => {
    const p = source.as(row, systems);
    return { id: p.id, words: p.words, ...(p.detail ? { detail: p.detail } : {}), way: { to, params: { id: p.id } } };
  });
  return { offers, busy: on && found.isFetching, failed: found.isError };
}
