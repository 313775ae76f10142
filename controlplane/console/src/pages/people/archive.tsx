import { useState } from "react";
import { ask } from "../../api/client";
import type { IdentityDetail } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Check } from "../../kit/form";

/** Archives a record: it is in no list any more, and after the tenant's time its personal data goes. */
export function Archive({ of: p, close }: { of: IdentityDetail; close: () => void }) {
  const [force, setForce] = useState(false);
  const archive = useAct<void>({
    quiet: true,
    act: (_, key) => ask("DELETE", `/identities/${p.id}`, { query: { force: force || undefined }, key, ifMatch: p.version }),
    done: "The record is archived.",
    changes: ["/identities"],
  });
  return (
    <AskFirst
      open
      close={close}
      title="Archive the record"
      lead="It stays for the history, is in no list any more, and nothing is given to it. It cannot be taken back."
      verb="Archive"
      tone="danger"
      act={() => archive.mutateAsync()}
    >
      <Check label="Even if their source still knows them, or access still hangs on them" value={force} set={setForce} />
    </AskFirst>
  );
}
