import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { TextField, wrongAt } from "../../kit/form";
import { Button } from "../../kit/kit";
import { Menu } from "../../kit/menu";
import { SyncNow } from "./syncnow";
import { canSync, many } from "./words";

type Stop = "pause" | "disable";

const stops: Record<Stop, { verb: string; title: string; lead: string }> = {
  pause: {
    verb: "Pause",
    title: "Pause this connector",
    lead: "No further run starts, by schedule or by hand, until somebody resumes it. A run that goes on comes to its end.",
  },
  disable: {
    verb: "Disable",
    title: "Disable this connector",
    lead: "No run starts, the one that goes on is cancelled, and no change is sent to the system until somebody resumes it. What was read stays.",
  },
};

/** What can be done with a connector as it stands. */
export function Actions({ of: c }: { of: Connector }) {
  const may = useMay();
  const [stop, setStop] = useState<Stop>();
  const [syncing, setSyncing] = useState(false);
  const resume = useAct({
    act: (_, key) => ask("POST", `/connectors/${c.id}/resume`, { ifMatch: c.version, key }),
    changes: ["/connectors"],
    done: "It runs again. What was missed meanwhile is not made up for.",
  });
  const clear = useAct({
    act: (_, key) => ask("POST", `/connectors/${c.id}/quarantine/clear`, { ifMatch: c.version, key }),
    changes: ["/connectors"],
    done: "The quarantine is lifted: it is tried again.",
  });
  const compare = useAct<void, Of<"DriftCheck">>({
    act: (_, key) => ask("POST", `/connectors/${c.id}/drift/check`, { key }),
    changes: ["/accounts"],
    done: (r) => `${many(r.accounts, "account")} will be compared with the account template.`,
  });
  if (!may.admin || c.status === "draft") return null;
  const can = (verb: string) => allowed[verb]?.includes(c.status) ?? false;
  return (
    <>
      {can("resume") && (
        <Button tone="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      )}
      {can("clear") && (
        <Button tone="primary" disabled={clear.isPending} onClick={() => clear.mutate()}>
          Lift the quarantine
        </Button>
      )}
      {canSync(c.status) && (
        <Button tone="primary" onClick={() => setSyncing(true)}>
          Sync now
        </Button>
      )}
      <Menu
        words="More"
        label="More to do with this connector"
        of={[
          { words: "Check for drift", act: () => compare.mutate() },
          can("pause") && { words: "Pause…", act: () => setStop("pause") },
          can("disable") && { words: "Disable…", act: () => setStop("disable"), danger: true },
        ]}
      />
      <SyncNow of={c} open={syncing} close={() => setSyncing(false)} />
      {stop && <Halt of={c} what={stop} close={() => setStop(undefined)} />}
    </>
  );
}

/** Asks why a connector is stopped, and stops it. It is there only while it is asked, so that its words stay the same as it closes. */
function Halt({ of: c, what, close }: { of: Connector; what: Stop; close: () => void }) {
  const [reason, setReason] = useState("");
  const halt = useAct({
    act: (_, key) => ask("POST", `/connectors/${c.id}/${what}`, { body: { reason: reason.trim() }, ifMatch: c.version, key }),
    changes: ["/connectors"],
    done: "Done. Resume it when it may run again.",
    quiet: true,
  });
  return (
    <AskFirst
      open
      close={close}
      {...stops[what]}
      tone={what === "disable" ? "danger" : "primary"}
      disabled={!reason.trim()}
      act={() => halt.mutateAsync()}
    >
      <TextField
        label="Why"
        hint="Shown at the connector, and kept in the audit log."
        value={reason}
        set={setReason}
        required
        max={2000}
        error={wrongAt(halt.error, "reason")}
      />
    </AskFirst>
  );
}

const allowed: Record<string, string[]> = {
  pause: ["ready", "active", "degraded"],
  resume: ["paused", "disabled"],
  clear: ["quarantined"],
  disable: ["ready", "active", "degraded", "quarantined", "paused"],
};
