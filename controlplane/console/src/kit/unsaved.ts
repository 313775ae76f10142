import { useEffect, useId } from "react";

const unsaved = new Set<string>();
const listeners = new Set<() => void>();

/** Whether a form of the page holds something that was typed and not saved. */
export const anyUnsaved = () => unsaved.size > 0;

export const subscribeUnsaved = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

function changed() {
  for (const listener of listeners) listener();
}

/**
 * Marks what was typed as not saved, for as long as dirty is true. Leaving the page asks first; see Leaving. Every form built with useForm
 * is marked by it; a form with a state of its own calls this itself.
 */
export function useUnsaved(dirty: boolean) {
  const id = useId();
  useEffect(() => {
    if (!dirty) return;
    unsaved.add(id);
    changed();
    return () => {
      unsaved.delete(id);
      changed();
    };
  }, [dirty, id]);
}
