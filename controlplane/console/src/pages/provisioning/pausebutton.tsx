import { useState } from "react";
import * as text from "#text/provisioning";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button } from "../../kit/kit";

/** The one switch that keeps anything from being written to any of the tenant's systems, read again from time to time. */
export const useSending = () => useGet<Of<"Switch">>("/settings/provisioning", {}, { every: 30_000 });

/** The button that turns the switch the other way, for those who may, and what it asks first. */
export function PauseButton({ of }: { of: Of<"Switch"> }) {
  const may = useMay();
  // What was asked stays asked: by the time the answer is in, the switch stands the other way.
  const [asked, setAsked] = useState<"stop" | "send">();
  if (!may.admin) return null;
  return (
    <>
      <Button tone={of.writes ? "danger" : "primary"} onClick={() => setAsked(of.writes ? "stop" : "send")}>
        {of.writes ? text.turnOffWritingEllipsis : text.turnOnWritingEllipsis}
      </Button>
      {asked && <ConfirmDialogOf stop={asked === "stop"} version={of.version} close={() => setAsked(undefined)} />}
    </>
  );
}

function ConfirmDialogOf({ stop, version, close }: { stop: boolean; version: number; close: () => void }) {
  const [reason, setReason] = useState("");
  const turn = useAct({
    act: (_: undefined, key) =>
      ask("PUT", "/settings/provisioning", {
        key,
        ifMatch: version,
        body: { writes: !stop, ...(reason.trim() && { reason: reason.trim() }) },
      }),
    changes: ["/settings/provisioning", "/accounts/provisioning-tasks"],
    done: () => (stop ? text.writingIsOffTasksAreStill : text.writingIsOn),
    quiet: true,
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={stop ? text.turnOffWriting : text.turnOnWriting}
      lead={stop ? text.withinSecondsNoChangeIsSent : text.waitingTasksAreSentUrgentOnes}
      verb={stop ? text.turnOff : text.turnOn}
      tone={stop ? "danger" : "primary"}
      disabled={stop && !reason.trim()}
      act={() => turn.mutateAsync(undefined)}
    >
      <TextField label={text.reason} hint={text.shownWithEveryWaitingTaskAnd} value={reason} set={setReason} required={stop} max={500} />
    </ConfirmDialog>
  );
}
