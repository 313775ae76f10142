import { useBlocker } from "@tanstack/react-router";
import { lazy, Suspense, useSyncExternalStore } from "react";
import * as text from "#text/app";
import { anyUnsaved, subscribeUnsaved } from "../kit/unsaved";

const ConfirmDialog = lazy(() => import("../kit/dialog").then((m) => ({ default: m.ConfirmDialog })));

/** Effects of a form that has just been saved come after the navigation it starts: whether it is still unsaved is known a task later. */
const settled = () => new Promise((then) => setTimeout(then));

/** Asks before a page is left whose form holds unsaved changes: within the console by a dialog, elsewhere by the browser's own. */
export function UnsavedChangesGuard() {
  const disabled = !useSyncExternalStore(subscribeUnsaved, anyUnsaved);
  const blocked = useBlocker({ shouldBlockFn, enableBeforeUnload: anyUnsaved, withResolver: true, disabled });
  if (blocked.status !== "blocked") return null;
  return (
    <Suspense>
      <ConfirmDialog
        open
        close={blocked.reset}
        title={text.discardUnsavedChanges}
        lead={text.thisFormHasUnsavedChanges}
        verb={text.discardChanges}
        tone="danger"
        keep={text.keepEditing}
        act={async () => blocked.proceed()}
      />
    </Suspense>
  );
}

type Move = { current: { pathname: string }; next: { pathname: string } };

// Another filter, tab or dialog of the same page keeps its forms.
async function shouldBlockFn({ current, next }: Move): Promise<boolean> {
  if (!anyUnsaved() || current.pathname === next.pathname) return false;
  await settled();
  return anyUnsaved();
}
