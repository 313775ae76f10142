import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { SelectField, TextField } from "../../kit/form";

type Kind = "changes" | "everything" | "preview" | "preview_changes";

const kinds = [
  ["changes", "What has changed"],
  ["everything", "Everything"],
  ["preview", "Preview everything: compare, and change nothing"],
  ["preview_changes", "Preview what has changed"],
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
      lead="You are led to the run, and can leave it: it goes on by itself."
      verb="Start"
      act={() => start.mutateAsync()}
    >
      <SelectField
        label="What is read"
        value={kind}
        set={setKind}
        options={kinds}
        hint={
          kind.startsWith("preview")
            ? "Tells what a run would do and what would be held. Nothing is written."
            : kind === "changes"
              ? "Where the system cannot tell what has changed, everything is read, and the run says why."
              : "Only a complete reading can show that something is gone."
        }
      />
      <div className="fields">
        <TextField
          label="People and accounts at most"
          type="number"
          value={most}
          set={setMost}
          placeholder="no limit"
          hint="A run with a limit never proves that anything is gone."
        />
        <TextField label="Records written together" type="number" value={chunk} set={setChunk} placeholder="500" hint="From 1 to 10,000." />
      </div>
    </AskFirst>
  );
}
