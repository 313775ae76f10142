import { useState } from "react";
import * as text from "#text/connectors";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { problemAt, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { Menu } from "../../kit/menu";
import { SyncNow } from "./syncnow";
import { canSync } from "./words";

type StopAction = "pause" | "disable";

const stops: Record<StopAction, { verb: string; title: string; lead: string }> = {
  pause: {
    verb: text.pause,
    title: text.pauseConnector,
    lead: text.noFurtherSyncRunStartsUntil,
  },
  disable: {
    verb: text.disable,
    title: text.disableConnector,
    lead: text.noSyncRunStartsARunning,
  },
};

/** What can be done with a connector as it stands. */
export function Actions({ of: c }: { of: Connector }) {
  const may = useMay();
  const [stop, setStop] = useState<StopAction>();
  const [syncing, setSyncing] = useState(false);
  const resume = useAct({
    act: (_, key) => ask("POST", `/connectors/${c.id}/resume`, { ifMatch: c.version, key }),
    changes: ["/connectors"],
    done: text.resumedMissedSyncRunsAreNot,
  });
  const clear = useAct({
    act: (_, key) => ask("POST", `/connectors/${c.id}/quarantine/clear`, { ifMatch: c.version, key }),
    changes: ["/connectors"],
    done: text.quarantineClearedTheConnectorRunsAgain,
  });
  const compare = useAct<void, Of<"DriftCheck">>({
    act: (_, key) => ask("POST", `/connectors/${c.id}/drift/check`, { key }),
    changes: ["/accounts"],
    done: (r) => text.accountsWillBeComparedWithThe(r.accounts),
  });
  if (!may.admin || c.status === "draft") return null;
  const can = (verb: string) => allowed[verb]?.includes(c.status) ?? false;
  return (
    <>
      {can("resume") && (
        <Button tone="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
          {text.resume}
        </Button>
      )}
      {can("clear") && (
        <Button tone="primary" disabled={clear.isPending} onClick={() => clear.mutate()}>
          {text.clearQuarantine}
        </Button>
      )}
      {canSync(c.status) && (
        <Button tone="primary" onClick={() => setSyncing(true)}>
          {text.syncNow}
        </Button>
      )}
      <Menu
        words={text.more}
        label={text.moreActions}
        of={[
          { words: text.checkForDrift, act: () => compare.mutate() },
          can("pause") && { words: text.pauseEllipsis, act: () => setStop("pause") },
          can("disable") && { words: text.disableEllipsis, act: () => setStop("disable"), danger: true },
        ]}
      />
      <SyncNow of={c} open={syncing} close={() => setSyncing(false)} />
      {stop && <StopDialog of={c} what={stop} close={() => setStop(undefined)} />}
    </>
  );
}

/** Asks why a connector is stopped, and stops it. It is there only while it is asked, so that its words stay the same as it closes. */
function StopDialog({ of: c, what, close }: { of: Connector; what: StopAction; close: () => void }) {
  const [reason, setReason] = useState("");
  const halt = useAct({
    act: (_, key) => ask("POST", `/connectors/${c.id}/${what}`, { body: { reason: reason.trim() }, ifMatch: c.version, key }),
    changes: ["/connectors"],
    done: text.saved,
    quiet: true,
  });
  return (
    <ConfirmDialog
      open
      close={close}
      {...stops[what]}
      tone={what === "disable" ? "danger" : "primary"}
      disabled={!reason.trim()}
      act={() => halt.mutateAsync()}
    >
      <TextField
        label={text.reason}
        hint={text.shownWithTheConnectorAndIn}
        value={reason}
        set={setReason}
        required
        max={2000}
        error={problemAt(halt.error, "reason")}
      />
    </ConfirmDialog>
  );
}

const allowed: Record<string, string[]> = {
  pause: ["ready", "active", "degraded"],
  resume: ["paused", "disabled"],
  clear: ["quarantined"],
  disable: ["ready", "active", "degraded", "quarantined", "paused"],
};
