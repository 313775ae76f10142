import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { SelectField, TextField } from "../../kit/form";

type Kind = "changes" | "everything" | "preview" | "preview_changes";

const kinds = [
  ["changes", "Incremental sync"],
  ["everything", "Full sync"],
  ["preview", "Preview of a full sync"],
  ["preview_changes", "Preview of an incremental sync"],
] as const;

/** Asks how a run is to be, starts it and goes to it. */
export function SyncNow({ of: c, open, close }: { of: Connector; open: boolean; close: () => void }) {
  const navigate = useNavigate();
  const [kind, setKind] = useState<Kind>(c.funnel_state === "connected" ? "changes" : "everything");
  const [chunk, setChunk] = useState("");
  const [most, setMost] = useState("");
  const start = useAct({
    act: (_, key) =>
      ask<Of<"Started">>("POST", `/connectors/${c.id}/sync`, {
        key,
        body: {
          incremental: kind === "changes" || kind === "preview_changes",
          mode: kind.startsWith("preview") ? "preview" : "apply",
          ...(chunk ? { chunk_size: Number(chunk) } : {}),
          ...(most ? { max_records: Number(most) } : {}),
        },
      }),
    changes: ["/connectors"],
    quiet: true,
    after: (r) => void navigate({ to: "/connectors/$id/runs/$run" as never, params: { id: c.id, run: r.run_id } as never }),
  });
  return (
    <AskFirst
      open={open}
      close={close}
      title="Sync now"
      lead="The page of the run opens. You can leave it; the sync continues."
      verb="Start"
      act={() => start.mutateAsync()}
    >
      <SelectField
        label="Mode"
        value={kind}
        set={setKind}
        options={kinds}
        hint={
          kind.startsWith("preview")
            ? "Shows the changes and held changes of a run. Nothing is saved."
            : kind === "changes"
              ? "If the system does not support incremental syncs, a full sync runs. The run shows the reason."
              : "Only a full sync detects removed records."
        }
      />
      <div className="fields">
        <TextField
          label="Record limit"
          type="number"
          value={most}
          set={setMost}
          placeholder="no limit"
          hint="A run with a limit does not remove records."
        />
        <TextField label="Records per write" type="number" value={chunk} set={setChunk} placeholder="500" hint="From 1 to 10,000." />
      </div>
    </AskFirst>
  );
}
