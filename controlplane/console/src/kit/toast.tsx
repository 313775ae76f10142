import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import * as text from "#text/kit";
import { Refusal } from "../api/session";
import { memberWords } from "./problemtext";

const manager = Toast.createToastManager();

/** Something that can be done about what a toast says, such as Undo. */
type Remedy = { words: ReactNode; act: () => void };

/** Says that something is done. It goes by itself; with a remedy it stays for as long as that can be taken. Gives what takes it away. */
export function showToast(words: string, more: { remedy?: Remedy; detail?: string; ms?: number } = {}): () => void {
  const { remedy } = more;
  for (const old of refused.splice(0)) manager.close(old);
  const take = () => {
    remedy?.act();
    manager.close(id);
  };
  const id = manager.add({
    title: words,
    ...(more.detail ? { description: more.detail } : {}),
    timeout: more.ms ?? (remedy ? 10_000 : 5_000),
    ...(remedy ? { actionProps: { children: remedy.words, onClick: take } } : {}),
  });
  return () => manager.close(id);
}

/** The refusals that are still shown. They go when something is done: what was wrong is mended then, or given up. */
const refused: string[] = [];

/** Says what was refused, in the service's words. It stays until it is closed, or until something is done. */
export function showRefusal(e: unknown) {
  const r = e instanceof Refusal ? e : new Refusal(0, "", e instanceof Error ? e.message : String(e));
  const wrong = r.errors.map((w) => `${memberWords(w)}: ${w.detail}`).join("\n");
  const id = r.requestId ? text.requestRequestText(r.requestId) : "";
  refused.push(
    manager.add({
      title: r.message,
      description: [wrong, id].filter(Boolean).join("\n"),
      type: "bad",
      priority: "high",
      timeout: 0,
    }),
  );
}

/** Where toasts are shown: at the lower right of the page, away from the buttons of forms; in a narrow window at the top. */
export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts" aria-label={text.messages}>
          <Shown />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Shown() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((t) => (
    <Toast.Root key={t.id} toast={t} className={`toast ${t.type ?? ""}`} swipeDirection={[]} aria-hidden={false}>
      <div className="grow">
        <Toast.Title render={<p />} />
        <Toast.Description className="small muted" />
      </div>
      <Toast.Action className="button quiet" aria-hidden={false} />
      <Toast.Close className="button quiet icon" aria-label={text.closeTheMessage} aria-hidden={false}>
        <X aria-hidden size={15} />
      </Toast.Close>
    </Toast.Root>
  ));
}
