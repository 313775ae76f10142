import { useState } from "react";
import { ask } from "../../api/client";
import type { IdentityDetail, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { count } from "../../kit/count";
import { AskFirst } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { problemAt, TextField } from "../../kit/form";
import { Note } from "../../kit/kit";
import { Pick, type Picked, people } from "../../kit/pick";

/** Merges another record of the same person into this one. */
export function Merge({ of: p, close }: { of: IdentityDetail; close: () => void }) {
  const [other, setOther] = useState<Picked | null>(null);
  const [reason, setReason] = useState("");
  const path = `/identities/${p.id}/merge`;
  const tried = useDryRun<Of<"Merged">>(path, { source_id: other?.id, reason: "preview" }, other !== null);
  const merge = useAct<void, Of<"Merged">>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body: { source_id: other?.id, reason }, key, ifMatch: p.version }),
    done: "Records merged.",
    changes: ["/identities", "/accounts", "/entitlements"],
  });
  return (
    <AskFirst
      open
      close={close}
      title="Merge another record into this one"
      lead="All accounts, access and reports of the other record move to this person. The other record is archived. You cannot undo this."
      verb="Merge"
      tone="danger"
      disabled={!other || !reason.trim() || !tried.isSuccess || tried.isPlaceholderData}
      act={() => merge.mutateAsync()}
    >
      <Pick label="Record to archive" source={people} value={other} set={setOther} required error={problemAt(tried.error, "source_id")} />
      <TextField
        label="Reason"
        rows={2}
        max={1000}
        value={reason}
        set={setReason}
        required
        hint="Evidence that both records are the same person."
      />
      {other && (
        <DryRun of={tried}>
          {(m) => (
            <>
              <ul className="small">
                {Object.entries(m.impact.moved ?? {})
                  .filter(([, n]) => n > 0)
                  .map(([k, n]) => (
                    <li key={k}>{count(n, one(k), several(k))}</li>
                  ))}
                {m.impact.ended_reasons > 0 && <li>Reasons of both records that are combined: {m.impact.ended_reasons}</li>}
              </ul>
              {(m.impact.warnings ?? []).map((w) => (
                <Note key={w} tone="warn">
                  {w}
                </Note>
              ))}
            </>
          )}
        </DryRun>
      )}
    </AskFirst>
  );
}

const several = (kind: string) => kind.replaceAll("_", " ");
const one = (kind: string) => kind.replaceAll("_", " ").replace(/s$/, "");
