import { useEffect, useRef } from "react";
import { singleKeys } from "./appearance";

/** What a key does; Shift+X is written "X". Returning false leaves the key to others. */
export type Keys = Record<string, (e: KeyboardEvent) => unknown>;

const typing =
  "input:not([type=checkbox]):not([type=radio]),textarea,select,[contenteditable=true],[role=dialog],[role=alertdialog],[role=menu],[role=listbox]";

// What lies over the page and has it wait: dialogs that are not on their way out, and what stands for one that is still being fetched. Remarks
// that come and go are dialogs too, but modal to nobody.
const over = "dialog:modal,:is([role=dialog],[role=alertdialog]):not([aria-modal=false],[data-closed]),[data-coming]";

/** Whether a dialog lies over the page. The focus tells nothing of it: it gets lost when what has it goes. */
export const dialogIsOpen = () => document.querySelector(over) !== null;

/** Whether a key belongs to what is typed, or to a dialog, and not to the page. */
export function isTextInput(e: KeyboardEvent): boolean {
  return e.ctrlKey || e.metaKey || e.altKey || (e.target instanceof Element && e.target.closest(typing) !== null) || dialogIsOpen();
}

/** Single keys of a page, unless somebody types, a dialog is open, or they are switched off. Arrow keys and Escape stay with them on. */
export function useKeys(keys: Keys) {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.defaultPrevented || isTextInput(e)) return;
      if (e.key.length === 1 && !singleKeys()) return;
      const act = now.current[e.key];
      if (act && act(e) !== false) e.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

/** Ctrl A selects all of a list, where nobody types and no dialog is open. Without select it is the browser's. */
export function useSelectAll(select: (() => void) | undefined) {
  const now = useRef(select);
  now.current = select;
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (!now.current || e.defaultPrevented || e.key !== "a" || !(e.ctrlKey || e.metaKey) || e.altKey) return;
      if (dialogIsOpen() || (e.target instanceof Element && e.target.closest(typing))) return;
      e.preventDefault();
      now.current();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
