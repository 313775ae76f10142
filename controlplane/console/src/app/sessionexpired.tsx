import { useEffect, useRef } from "react";
import * as text from "#text/app";
import { signOut } from "../api/session";
import { Button } from "../kit/kit";
import { SignInForm } from "./signin";

/**
 * Asks whoever's session has ended to sign in again, over the page as it is. It is the browser's own modal dialog: all behind it, dialogs
 * too, can neither be reached nor lost, and the focus goes back to where it was. Escape does not close it.
 */
export function SessionExpired() {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={box}
      className="session-expired"
      aria-label={text.signInAgain}
      {...{ closedby: "none" }}
      onCancel={(e) => e.preventDefault()}
      onKeyDown={(e) => {
        e.stopPropagation();
        if (e.key === "Escape") e.preventDefault();
      }}
      onClose={(e) => e.currentTarget.isConnected && !e.currentTarget.open && e.currentTarget.showModal()}
    >
      <SignInForm lapsed />
      <Button reads tone="quiet" onClick={() => void signOut()}>
        {text.signInAsAnotherUser}
      </Button>
    </dialog>
  );
}
