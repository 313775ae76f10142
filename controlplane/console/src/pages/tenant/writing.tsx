import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Failure, Note, Part, Skeleton, Text, When } from "../../kit/kit";

/** The one switch that keeps anything from being written to any target system. */
export function Writing() {
  const found = useGet<Of<"Switch">>("/settings/provisioning");
  const may = useMay();
  const [asking, ask_] = useState(false);
  const [reason, setReason] = useState("");
  const turn = useAct({
    act: (v: { writes: boolean; reason?: string }, key) =>
      ask("PUT", "/settings/provisioning", { body: v, key, ifMatch: found.data?.version ?? "*" }),
    done: (_, v) => (v.writes ? "Target systems are written to again" : "Nothing is written to any target system now"),
    changes: ["/settings/provisioning"],
    quiet: true,
  });
  if (found.isPending) return <Skeleton rows={2} />;
  if (found.isError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const s = found.data;
  return (
    <Part title="Writing to target systems">
      <Note tone={s.writes ? "ok" : "warn"}>
        <div className="row between">
          <span className="grow">
            {s.writes ? (
              "On: what is decided here is carried out in the connected systems, as each connector allows."
            ) : (
              <>
                Off since <When at={s.changed_at} />: nothing is sent to any system. Tasks are planned, and wait. Reason:{" "}
                <Text of={s.reason} none="none given" />
              </>
            )}
          </span>
          {may.admin && (
            <Button tone={s.writes ? "danger" : "primary"} onClick={() => ask_(true)}>
              {s.writes ? "Switch off" : "Switch on"}
            </Button>
          )}
        </div>
      </Note>
      <AskFirst
        open={asking}
        close={() => ask_(false)}
        title={s.writes ? "Write nothing to any target system?" : "Write to target systems again?"}
        lead={
          s.writes
            ? "Access that is granted or taken away from now on waits until this is switched on again."
            : "Everything that has waited is carried out at once, in its order."
        }
        verb={s.writes ? "Switch off" : "Switch on"}
        tone={s.writes ? "danger" : "primary"}
        disabled={s.writes && !reason.trim()}
        act={() => turn.mutateAsync(s.writes ? { writes: false, reason: reason.trim() } : { writes: true })}
      >
        {s.writes && (
          <TextField
            label="Reason"
            hint="It is shown at every task that waits, and stands in the audit log."
            value={reason}
            set={setReason}
            required
            max={500}
          />
        )}
      </AskFirst>
    </Part>
  );
}
