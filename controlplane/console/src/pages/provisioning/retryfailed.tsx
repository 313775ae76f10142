import { useState } from "react";
import * as text from "#text/provisioning";
import { forEachSettled } from "../../api/batch";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Checks } from "../../kit/form";
import { Failure, Note, Skeleton } from "../../kit/kit";
import { n } from "../connectors/words";

/** Sends everything again that failed at the chosen systems. */
export function RetryFailed({ close }: { close: () => void }) {
  const failed = useGet<Of<"TaskList">>("/accounts/provisioning-tasks", { state: "failed", limit: 500 });
  const [left, setLeft] = useState<string[]>([]);
  const systems = new Map<string, { name: string; count: number }>();
  for (const t of failed.data?.items ?? [])
    systems.set(t.connector_id, { name: t.connector.display, count: (systems.get(t.connector_id)?.count ?? 0) + 1 });
  const chosen = [...systems.keys()].filter((id) => !left.includes(id));
  const retry = useAct({
    act: async (ids: string[]) => {
      const sum = { retried: 0, skipped: 0 };
      const all = await forEachSettled(ids, async (id) => {
        const r = await ask<Of<"Retried">>("POST", "/accounts/provisioning-tasks/retry-failed", { body: { connector_id: id } });
        sum.retried += r.retried;
        sum.skipped += r.skipped;
      });
      if (all.refused[0]) throw all.refused[0];
      return sum;
    },
    changes: ["/accounts/provisioning-tasks"],
    done: (r) => (r.skipped > 0 ? text.tasksRetriedAccountsSkippedBecauseThe(r.retried, r.skipped) : text.tasksRetried(r.retried)),
    quiet: true,
  });
  const hasMore = (failed.data?.total ?? 0) > (failed.data?.items.length ?? 0);
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.retryAllFailedTasks}
      lead={text.eachTaskIsSentAgainWith}
      verb={text.retryTasks}
      disabled={chosen.length === 0}
      act={() => retry.mutateAsync(chosen)}
    >
      {failed.isPending ? (
        <Skeleton rows={2} />
      ) : failed.isError ? (
        <Failure error={failed.error} retry={() => void failed.refetch()} />
      ) : systems.size === 0 ? (
        <Note tone="ok">{text.noFailedTasks}</Note>
      ) : (
        <Checks
          label={text.systems}
          value={chosen}
          set={(v) => setLeft([...systems.keys()].filter((id) => !v.includes(id)))}
          options={[...systems].map(
            ([id, s]) => [id, hasMore ? text.nameCountOrMore(s.name, n(s.count)) : `${s.name} (${n(s.count)})`] as const,
          )}
        />
      )}
    </ConfirmDialog>
  );
}
