import { RefreshCw } from "lucide-react";
import { useState } from "react";
import * as text from "#text/people";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { Button } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { useSystems } from "../../kit/systems";

type Runs = Of<"PeopleSyncRuns">;

/** Reads the sources of people again: all of them, or with of the systems of one person. */
export function SyncPeople({ of }: { of?: string }) {
  const [runs, setRuns] = useState<Runs["runs"]>();
  const names = useSystems();
  const sync = useAct<void, Runs>({
    act: (_, key) => ask("POST", of ? `/identities/${of}/sync` : "/identities/sync", { key, ...(of ? {} : { body: {} }) }),
    changes: ["/connectors"],
    after: (r) => setRuns(r.runs ?? []),
  });
  return (
    <>
      <Button disabled={sync.isPending} onClick={() => sync.mutate()}>
        <RefreshCw aria-hidden size={15} /> {text.sync}
      </Button>
      <Dialog
        open={runs !== undefined}
        close={() => setRuns(undefined)}
        title={text.syncStarted}
        lead={runs?.length ? text.theSyncContinuesInTheBackground : text.noConnectedSystemCanBeSynced}
      >
        <ul className="stack tight">
          {runs?.map((r) => (
            <li key={r.connector_id} className="row between">
              <bdi>{names.get(r.connector_id) ?? r.connector_business_id}</bdi>
              <span className="row">
                <State
                  of={r.outcome}
                  tone={r.outcome === "not_ready" ? "warn" : "info"}
                  words={
                    r.outcome === "started" ? text.started : r.outcome === "already_running" ? text.alreadyRunning : text.cannotSyncNow
                  }
                />
                {r.run_id && (
                  <Link to="/connectors/$id/runs/$run" params={{ id: r.connector_id, run: r.run_id }} className="button">
                    {text.openRun}
                  </Link>
                )}
              </span>
              {r.detail && <small className="muted">{r.detail}</small>}
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
}
