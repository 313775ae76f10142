import { X } from "lucide-react";
import { useState } from "react";
import * as text from "#text/access";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Button } from "../../kit/kit";
import { Pick, people } from "../../kit/pick";
import { PersonById } from "../people/personbyid";

type Detail = Of<"EntitlementDetail">;

/** Says who owns it, and who stands in for them. */
export function Owners({ of: e, close }: { of: Detail; close: () => void }) {
  const [owners, setOwners] = useState(e.owner_ids ?? []);
  const [backups, setBackups] = useState(e.backup_owner_ids ?? []);
  const save = useAct<void>({
    quiet: true,
    act: (_, key) => ask("POST", `/entitlements/${e.id}/owners`, { body: { owner_ids: owners, backup_owner_ids: backups }, key }),
    done: text.ownersSaved,
    changes: ["/entitlements"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.owners}
      lead={text.ownersApproveRequestsDescribeTheEntitlement}
      verb={text.save}
      act={() => save.mutateAsync()}
    >
      <OwnerList label={text.owners} add={text.addAnOwner} ids={owners} set={setOwners} />
      <OwnerList label={text.backupOwners} add={text.addABackupOwner} ids={backups} set={setBackups} />
    </ConfirmDialog>
  );
}

function OwnerList({ label, add, ids, set }: { label: string; add: string; ids: string[]; set: (ids: string[]) => void }) {
  return (
    <fieldset className="person-group stack tight">
      <legend>{label}</legend>
      {ids.length === 0 && <p className="muted small">{text.none}</p>}
      <ul className="stack tight">
        {ids.map((id, i) => (
          <li key={id} className="row between">
            <PersonById id={id} />
            <Button
              tone="quiet"
              className="icon"
              aria-label={text.removeLabelI(label.toLowerCase(), i + 1)}
              onClick={() => set(ids.filter((x) => x !== id))}
            >
              <X aria-hidden size={14} />
            </Button>
          </li>
        ))}
      </ul>
      <Pick key={ids.length} label={add} source={people} value={null} set={(p) => p && !ids.includes(p.id) && set([...ids, p.id])} />
    </fieldset>
  );
}
