import { useState } from "react";
import * as text from "#text/people";
import { ask } from "../../api/client";
import type { IdentityDetail } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Check } from "../../kit/form";

/** Archives a record: it is in no list any more, and after the tenant's time its personal data goes. */
export function Archive({ of: p, close }: { of: IdentityDetail; close: () => void }) {
  const [force, setForce] = useState(false);
  const archive = useAct<void>({
    quiet: true,
    act: (_, key) => ask("DELETE", `/identities/${p.id}`, { query: { force: force || undefined }, key, ifMatch: p.version }),
    done: text.archived,
    changes: ["/identities"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.archivePerson}
      lead={text.theRecordIsKeptForThe}
      verb={text.archive}
      tone="danger"
      act={() => archive.mutateAsync()}
    >
      <Check label={text.archiveEvenIfTheSourceStill} value={force} set={setForce} />
    </ConfirmDialog>
  );
}
