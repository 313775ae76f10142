import { useState } from "react";
import * as text from "#text/syncruns";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { SelectField, TextField } from "../../kit/form";
import { useGo } from "../../kit/link";

type Kind = "changes" | "everything" | "preview" | "preview_changes";

const kinds = [
  ["changes", text.incrementalSync],
  ["everything", text.fullSync],
  ["preview", text.previewOfAFullSync],
  ["preview_changes", text.previewOfAnIncrementalSync],
] as const;

/** Asks how a run is to be, starts it and goes to it. */
export function SyncNow({ of: c, open, close }: { of: Connector; open: boolean; close: () => void }) {
  const navigate = useGo();
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
    after: (r) => void navigate({ to: "/connectors/$id/runs/$run", params: { id: c.id, run: r.run_id } }),
  });
  return (
    <ConfirmDialog
      open={open}
      close={close}
      title={text.syncNow}
      lead={text.thePageOfTheRunOpens}
      verb={text.start}
      act={() => start.mutateAsync()}
    >
      <SelectField
        label={text.mode}
        value={kind}
        set={setKind}
        options={kinds}
        hint={
          kind.startsWith("preview")
            ? text.showsTheChangesAndHeldChanges
            : kind === "changes"
              ? text.ifTheSystemDoesNotSupport
              : text.onlyAFullSyncDetectsRemoved
        }
      />
      <div className="fields">
        <TextField
          label={text.recordLimit}
          type="number"
          value={most}
          set={setMost}
          placeholder={text.noLimit}
          hint={text.aRunWithALimitDoes}
        />
        <TextField
          label={text.recordsPerWrite}
          type="number"
          value={chunk}
          set={setChunk}
          placeholder="500"
          hint={text.rangeOfRecordsPerWrite}
        />
      </div>
    </ConfirmDialog>
  );
}
