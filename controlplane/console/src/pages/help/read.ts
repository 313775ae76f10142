import { list, pages } from "virtual:docs";
import { useQuery } from "@tanstack/react-query";
import * as texts from "#text/help";
import { basePath } from "../../api/base";
import { Refusal } from "../../api/session";
import type { Doc, Listed } from "./tree";

/** The pages there are, by name. */
export const known = (page: string) => Object.hasOwn(pages, page);

async function file<T>(url: string, signal?: AbortSignal): Promise<T> {
  try {
    const answer = await fetch(url.startsWith("/") ? basePath + url : url, { signal: signal ?? null });
    if (!answer.ok) throw new Refusal(answer.status, "", texts.thisPageCouldNotBeLoaded);
    return (await answer.json()) as T;
  } catch (e) {
    if (e instanceof Refusal || (e instanceof DOMException && e.name === "AbortError")) throw e;
    throw new Refusal(0, "unreachable", texts.theServiceCannotBeReachedCheck);
  }
}

/** The list of all pages. It changes with the console alone. */
export const useListed = () =>
  useQuery({ queryKey: ["docs"], queryFn: ({ signal }) => file<Listed[]>(list, signal), staleTime: Number.POSITIVE_INFINITY });

/** One page. */
export const useDoc = (page: string) =>
  useQuery({
    queryKey: ["docs", page],
    queryFn: ({ signal }) => file<Doc>(pages[page] ?? "", signal),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: known(page),
  });

/** A page or a part of one that was found. */
export type Hit = { page: string; title: string; at: string; words: string };

/** Searches titles and headings: all that was typed stands in them. Titles come first, then headings of pages with that in their title. */
export function find(all: Listed[], typed: string, most = 40): Hit[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const holds = (text: string) => words.every((w) => text.toLowerCase().includes(w));
  const titles = all.filter((l) => holds(`${l.title} ${l.page}`)).map((l) => ({ page: l.page, title: l.title, at: "", words: l.lead }));
  const heads = all.flatMap((l) =>
    l.heads
      .filter((h) => holds(h.words) || (holds(`${l.title} ${h.words}`) && words.some((w) => h.words.toLowerCase().includes(w))))
      .map((h) => ({ page: l.page, title: h.words, at: h.id, words: l.title })),
  );
  return [...titles, ...heads].slice(0, most);
}
