import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import * as text from "#text/kit";
import { sessionHasExpired } from "../api/session";
import { useFocusReturn } from "./focusreturn";
import { Button, Problems } from "./kit";
import { anyUnsaved } from "./unsaved";

type Props = {
  open: boolean;
  close: () => void;
  title: ReactNode;
  lead?: ReactNode;
  children?: ReactNode;
  /** At the side of the page, for what is read beside it. */
  side?: boolean;
  wide?: boolean;
};

/** Where what is asked for is typed. Otherwise the first button would have the focus, which closes the dialog at the first blank of a reason. */
const firstField = (popup: HTMLElement | null) =>
  popup?.querySelector<HTMLElement>(
    "form :is([autofocus], input:not([type=hidden], [type=checkbox], [type=radio], [type=file]), textarea, select):not(:disabled)",
  ) ?? true;

/** A dialog: focus goes into it and back, Escape closes it. */
export function Dialog({ open, close, title, lead, children, side, wide }: Props) {
  const popup = useRef<HTMLDivElement>(null);
  useFocusReturn(open);
  // The sign-in form of a lapsed session lies outside of this dialog: pressing there must not close it. Pressing beside a form that holds
  // unsaved changes does not discard them either.
  const change = (to: boolean, why: { reason: string }) => {
    if (to || sessionHasExpired() || (why.reason === "outside-press" && anyUnsaved())) return;
    close();
  };
  return (
    <Base.Root open={open} onOpenChange={change}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          ref={popup}
          initialFocus={(how) => (how === "touch" ? true : firstField(popup.current))}
          className={`dialog${side ? " side" : ""}${wide ? " wide" : ""}`}
        >
          <div className="dialog-head">
            <Base.Title>{title}</Base.Title>
            <Base.Close className="button quiet icon" aria-label={text.close} data-reads="">
              <X aria-hidden size={16} />
            </Base.Close>
          </div>
          {lead && <Base.Description className="muted">{lead}</Base.Description>}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

type ConfirmProps = Omit<Props, "children" | "side"> & {
  /** The verb on its button. */
  verb: string;
  tone?: "primary" | "danger";
  /** On the button by which nothing is done: "Cancel", but where to cancel is what is asked. */
  keep?: string;
  /** What is done. The dialog closes when it has been; a refusal is shown in it, and what was typed stays. */
  act: () => Promise<unknown>;
  disabled?: boolean;
  children?: ReactNode;
};

/** Asks before something is done, with what has to be said for it among its children. */
export function ConfirmDialog({ verb, tone = "primary", keep = text.cancel, act, disabled, children, ...props }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const submit = async (e: FormEvent) => {
    e.preventDefault();
    e.stopPropagation();
    if (busy) return;
    setBusy(true);
    setRefused(undefined);
    try {
      await act();
      props.close();
    } catch (error) {
      setRefused(error);
    } finally {
      setBusy(false);
    }
  };
  const close = () => {
    setRefused(undefined);
    props.close();
  };
  return (
    <Dialog {...props} close={close}>
      <form className="stack" onSubmit={(e) => void submit(e)}>
        {children}
        <Problems of={refused} />
        <div className="row end">
          <Button onClick={close}>{keep}</Button>
          {/* Not disabled while it works: whoever pressed it by key would lose their place. */}
          <Button type="submit" tone={tone} disabled={!busy && disabled} aria-disabled={busy || undefined}>
            {busy ? text.saving : verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
