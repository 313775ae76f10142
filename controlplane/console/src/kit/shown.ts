import { useSearch } from "@tanstack/react-router";
import { useGo } from "./link";

/** The part of a page that its address names in show, such as edit, and a function that shows another one; "": none. */
export function useShown(): [string, (part: string) => void] {
  const { show = "" } = useSearch({ strict: false }) as { show?: string };
  const navigate = useGo();
  const turn = (to: string) => void navigate({ to: ".", search: to ? { show: to } : {}, resetScroll: false });
  return [show, turn];
}
