import { type LinkProps, Link as RouterLink, useNavigate } from "@tanstack/react-router";
import type { ComponentProps } from "react";

/** The query of an address; what is undefined or empty is left out of it. */
export type Search = Record<string, string | undefined>;

/**
 * A place in the console: the path of a screen as places.json has it, "." for the same screen, with the values of its
 * $parts, its query and, with hash, a heading on it. Screens are made from a list, so the router knows no types for
 * them; a test checks that the paths that are written in the source are screens.
 */
export type Way = {
  to: string;
  params?: Record<string, string | undefined> | undefined;
  search?: Search | ((was: Record<string, string>) => Search) | undefined;
  hash?: string;
  replace?: boolean;
  resetScroll?: boolean;
};

type Props = Way &
  Omit<ComponentProps<"a">, "href"> &
  Pick<LinkProps, "activeProps" | "activeOptions" | "inactiveProps" | "preload" | "disabled">;

/** A link to a place in the console. */
export function Link({ to, params, search, ...rest }: Props) {
  return <RouterLink to={to as never} params={params as never} search={search as never} {...(rest as object)} />;
}

/** Leads to a place in the console, as a link does. */
export function useGo(): (way: Way) => Promise<void> {
  const navigate = useNavigate();
  return (way) => navigate(way as never);
}
