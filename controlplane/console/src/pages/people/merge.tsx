import { useState } from "react";
import * as text from "#text/people";
import { ask } from "../../api/client";
import type { IdentityDetail, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { count } from "../../kit/count";
import { ConfirmDialog } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { problemAt, TextField } from "../../kit/form";
import { Note } from "../../kit/kit";
import { Pick, type Picked, people } from "../../kit/pick";

/** Merges another record of the same person into this one. */
export function Merge({ of: p, close }: { of: IdentityDetail; close: () => void }) {
  const [other, setOther] = useState<Picked | null>(null);
  const [reason, setReason] = useState("");
  const path = `/identities/${p.id}/merge`;
  const preview = useDryRun<Of<"Merged">>(path, { source_id: other?.id, reason: "preview" }, other !== null);
  const merge = useAct<void, Of<"Merged">>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body: { source_id: other?.id, reason }, key, ifMatch: p.version }),
    done: text.recordsMerged,
    changes: ["/identities", "/accounts", "/entitlements"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.mergeAnotherRecordIntoThisOne}
      lead={text.allAccountsAccessAndReportsOf}
      verb={text.merge}
      tone="danger"
      disabled={!other || !reason.trim() || !preview.isSuccess || preview.isPlaceholderData}
      act={() => merge.mutateAsync()}
    >
      <Pick
        label={text.recordToArchive}
        source={people}
        value={other}
        set={setOther}
        required
        error={problemAt(preview.error, "source_id")}
      />
      <TextField
        label={text.reason}
        rows={2}
        max={1000}
        value={reason}
        set={setReason}
        required
        hint={text.evidenceThatBothRecordsAreThe}
      />
      {other && (
        <DryRun of={preview}>
          {(m) => (
            <>
              <ul className="small">
                {Object.entries(m.impact.moved ?? {})
                  .filter(([, n]) => n > 0)
                  .map(([k, n]) => (
                    <li key={k}>{count(n, one(k), several(k))}</li>
                  ))}
                {m.impact.ended_reasons > 0 && <li>{text.reasonsOfBothRecordsThatAre(m.impact.ended_reasons)}</li>}
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
    </ConfirmDialog>
  );
}

const several = (kind: string) => kind.replaceAll("_", " ");
const one = (kind: string) => kind.replaceAll("_", " ").replace(/s$/, "");
