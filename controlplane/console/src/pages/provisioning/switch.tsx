import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Failure, When } from "../../kit/kit";
import { State } from "../../kit/state";

type Kept = Of<"Switch">;

/** Whether anything at all is written to the tenant's systems. */
export function Switch() {
  const may = useMay();
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState("");
  const found = useGet<Kept>("/settings/provisioning", {}, { every: 30_000 });
  const turn = useAct({
    act: (writes: boolean, key) =>
      ask("PUT", "/settings/provisioning", {
        key,
        body: reason ? { writes, reason } : { writes },
        ...(found.data ? { ifMatch: found.data.version } : {}),
      }),
    changes: ["/settings/provisioning", "/accounts/provisioning-tasks"],
    done: (_, writes) => (writes ? "Changes are sent again." : "Nothing is sent any more. Tasks go on being planned, and wait."),
    quiet: true,
  });
  if (found.isError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const on = found.data?.writes ?? true;
  const by = found.data?.changed_by as { display?: string } | null | undefined;
  return (
    <section className={`provisioning-switch${on ? "" : " off"}`} aria-label="Whether changes are sent">
      <span>
        <State of={on ? "enabled" : "paused"} tone={on ? "ok" : "warn"} words={on ? "Changes are sent" : "No change is sent"} />{" "}
        {!on && (
          <span className="small">
            {found.data?.reason}{" "}
            <span className="muted">
              ({by?.display}, <When at={found.data?.changed_at ?? null} />)
            </span>
          </span>
        )}
      </span>
      {may.admin && found.data && (
        <Button tone={on ? "danger" : "primary"} onClick={() => setAsking(true)}>
          {on ? "Stop all changes…" : "Send changes again…"}
        </Button>
      )}
      <AskFirst
        open={asking}
        close={() => setAsking(false)}
        title={on ? "Stop all changes" : "Send changes again"}
        lead={
          on
            ? "Within seconds nothing is sent to any system of this tenant. What is being sent ends; what is planned waits."
            : "Tasks that wait are sent, the urgent ones first."
        }
        verb={on ? "Stop them" : "Send them"}
        tone={on ? "danger" : "primary"}
        disabled={on && !reason.trim()}
        act={() => turn.mutateAsync(!on)}
      >
        <TextField
          label="Why"
          value={reason}
          set={setReason}
          required={on}
          max={500}
          hint="Shown at every task that waits, and kept in the audit log."
        />
      </AskFirst>
    </section>
  );
}
