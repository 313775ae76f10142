import { useLayoutEffect } from "react";

// What had the focus before a dialog that has just closed: another that takes its place goes back there too.
let before: Element | undefined;

/**
 * Brings the focus back to what opened a dialog when it closes, or to the title of the page where that is gone: a dialog that an address
 * has opened was opened by nothing.
 */
export function useFocusReturn(open: boolean) {
  useLayoutEffect(() => {
    if (!open) return;
    const now = document.activeElement;
    const opener = now && now !== document.body && now.isConnected ? now : before;
    return () => {
      before = opener;
      setTimeout(() => {
        before = undefined;
        const active = document.activeElement;
        if (active && active !== document.body) return;
        const back = opener?.isConnected ? opener : document.querySelector("main h1");
        if (back instanceof HTMLElement) back.focus({ preventScroll: true });
      }, 40);
    };
  }, [open]);
}
