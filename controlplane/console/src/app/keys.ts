import { useEffect, useRef } from "react";
import { singleKeys } from "./look";

/** What a key does; Shift+X is written "X". Returning false leaves the key to others. */
export type Keys = Record<string, (e: KeyboardEvent) => unknown>;

const typing =
  "input:not([type=checkbox]):not([type=radio]),textarea,select,[contenteditable=true],[role=dialog],[role=alertdialog],[role=menu],[role=listbox]";

/** Whether a key belongs to what is typed, or to a dialog, and not to the page. */
export function belongsElsewhere(e: KeyboardEvent): boolean {
  return e.ctrlKey || e.metaKey || e.altKey || (e.target instanceof Element && e.target.closest(typing) !== null);
}

/** Single keys of a page, unless somebody types, is in a dialog, or has switched them off. Arrow keys and Escape stay with them on. */
export function useKeys(keys: Keys, on = true) {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    if (!on) return;
    const press = (e: KeyboardEvent) => {
      if (e.defaultPrevented || belongsElsewhere(e)) return;
      if (e.key.length === 1 && !singleKeys()) return;
      const act = now.current[e.key];
      if (act && act(e) !== false) e.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [on]);
}
