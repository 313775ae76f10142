import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ask } from "../api/client";
import { useAct } from "../api/use";
import { ConfirmDialog } from "./dialog";

type Props = {
  close: () => void;
  title: string;
  lead: ReactNode;
  verb?: string;
  /** What is deleted. */
  path: string;
  /** The list that it stands in. It alone is read again: what is deleted would answer that it is not there. */
  list: string;
  version?: number;
  /** What is said when it is gone. */
  done?: string;
  /** Where one goes from the page of what is gone. */
  gone?: () => void;
};

/** Asks before something is deleted, and deletes it. It is mounted only while it is asked. */
export function DeleteFirst({ close, title, lead, verb = "Delete", path, list, version, done, gone }: Props) {
  const queries = useQueryClient();
  const remove = useAct({
    quiet: true,
    act: async (_: undefined, key) => {
      try {
        await ask("DELETE", path, { key, ...(version === undefined ? {} : { ifMatch: version }) });
      } finally {
        void queries.invalidateQueries({ queryKey: [list] }); // after a refusal too: it may have been changed in the meantime
      }
    },
    ...(done ? { done } : {}),
    ...(gone ? { after: gone } : {}),
  });
  return <ConfirmDialog open close={close} tone="danger" title={title} lead={lead} verb={verb} act={() => remove.mutateAsync(undefined)} />;
}
