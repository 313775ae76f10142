import { useState } from "react";
import { ask } from "../../api/client";
import type { Grant, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
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
    done: (r) => `Return request ${r.number} submitted. The Requests page shows its state.`,
    changes: ["/identities", "/access-requests", "/decision-tasks"],
  });
  return (
    <AskFirst
      open
      close={close}
      title="Return access"
      lead={<bdi>{g.entitlement.display}</bdi>}
      verb="Return"
      tone="danger"
      act={() => request.mutateAsync()}
    >
      <TextField label="Reason" value={why} set={setWhy} rows={2} max={1000} hint="Optional. Shown in the history of the access." />
    </AskFirst>
  );
}
