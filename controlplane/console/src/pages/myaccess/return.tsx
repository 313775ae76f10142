import { useState } from "react";
import * as text from "#text/myaccess";
import { ask } from "../../api/client";
import type { Grant, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";

/** Returns the user's own access by a request, so that it is recorded who gave it back and why. */
export function GiveBack({ of: g, person, close }: { of: Grant; person: string; close: () => void }) {
  const [why, setWhy] = useState("");
  const request = useAct<void, Of<"AccessRequest">>({
    quiet: true,
    act: (_, key) =>
      ask("POST", "/access-requests", {
        key,
        body: {
          kind: "return",
          requested_for_identity_id: person,
          requested_resources: [{ entitlement_id: g.entitlement_id, account_id: g.account_id }],
          ...(why.trim() ? { justification: why.trim() } : {}),
        },
      }),
    done: (r) => text.returnRequestNumberValueSubmittedThe(r.number),
    changes: ["/identities", "/access-requests", "/decision-tasks"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.returnAccess}
      lead={<bdi>{g.entitlement.display}</bdi>}
      verb={text.returnLabel}
      tone="danger"
      act={() => request.mutateAsync()}
    >
      <TextField label={text.reason} value={why} set={setWhy} rows={2} max={1000} hint={text.optionalShownInTheHistoryOf} />
    </ConfirmDialog>
  );
}
