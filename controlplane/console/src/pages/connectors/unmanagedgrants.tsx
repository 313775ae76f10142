import { useState } from "react";
import * as text from "#text/connectors";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { TextField } from "../../kit/fields";
import { Button, Note } from "../../kit/kit";

const both = "found_at_first_import,unmanaged";

/** Grants of a connector that were given in the system itself, with the way to accept them as found. */
export function UnmanagedGrants({ of: c }: { of: Connector }) {
  const may = useMay();
  const [asking, setAsking] = useState(false);
  const found = useGet<Of<"ListGrant">>("/entitlements/grants", { connector_id: c.id, directness: "direct", review_state: both, limit: 1 });
  const n = found.data?.total ?? 0;
  if (n === 0) return null;
  return (
    <Note tone="info">
      <div className="row between">
        <span>{text.unmanagedGrantsHaveNotBeenReviewed(n)}</span>
        {may.admin && <Button onClick={() => setAsking(true)}>{text.acceptAsFoundEllipsis}</Button>}
      </div>
      {asking && <Accept of={c} close={() => setAsking(false)} />}
    </Note>
  );
}

function Accept({ of: c, close }: { of: Connector; close: () => void }) {
  const [comment, setComment] = useState("");
  const path = "/entitlements/grants/accept-as-found";
  const preview = useDryRun<Of<"GrantsAccepted">>(path, { connector_id: c.id, comment: text.dryRun }, true);
  const accept = useAct({
    act: (why: string, key) => ask<Of<"GrantsAccepted">>("POST", path, { body: { connector_id: c.id, comment: why }, key }),
    changes: ["/entitlements/grants", "/identities", "/accounts", "/dashboard", "/decision-tasks"],
    done: (r) => text.grantsAcceptedAsFound(r.accepted),
    quiet: true,
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.acceptAsFound}
      lead={text.acceptedGrantsAreNoLongerListed}
      verb={text.acceptGrants}
      disabled={comment.trim() === "" || preview.data?.accepted === 0}
      act={() => accept.mutateAsync(comment.trim())}
    >
      <DryRun of={preview}>
        {(t) => (
          <p>
            {text.grantsAreAccepted(t.accepted)}
            {t.skipped_own > 0 && text.skippedOwnAreYourOwnAnother(t.skipped_own.toLocaleString("en"))}
          </p>
        )}
      </DryRun>
      <TextField label={text.comment} value={comment} set={setComment} rows={2} max={2000} required hint={text.theReasonWhyThisAccessIs} />
    </ConfirmDialog>
  );
}
