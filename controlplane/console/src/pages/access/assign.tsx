import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Pick, type Picked, people } from "../../kit/pick";
import { nameOf } from "./words";

/** Gives it to somebody without a request: an administrator's own decision, which stands in the history. */
export function AssignDirectly({ of: e, close }: { of: Of<"EntitlementDetail">; close: () => void }) {
  const [who, setWho] = useState<Picked | null>(null);
  const [until, setUntil] = useState("");
  const [why, setWhy] = useState("");
  const limited = Boolean(e.default_duration || e.max_duration);
  const give = useAct<void, Of<"GrantOrdered">>({
    quiet: true,
    act: (_, key) =>
      ask("POST", "/entitlements/grants", {
        body: {
          identity_id: who?.id,
          entitlement_id: e.id,
          justification: why,
          ...(until ? { ends_at: new Date(`${until}T23:59:59`).toISOString() } : {}),
        },
        key,
      }),
    done: "Access granted. Open the reason to see the provisioning state.",
    changes: ["/entitlements", "/identities", "/accounts"],
  });
  return (
    <AskFirst
      open
      close={close}
      title="Assign access"
      lead={
        <>
          <bdi>{nameOf(e)}</bdi>is granted through the person's account in the system. No approval is required.
        </>
      }
      verb="Assign"
      disabled={!who || !why.trim()}
      act={() => give.mutateAsync()}
    >
      <Pick label="Person" source={people} value={who} set={setWho} required />
      <TextField
        label="Last day"
        type="date"
        value={until}
        set={setUntil}
        hint={limited ? "If empty, access ends after the default duration." : "If empty, access has no end."}
      />
      <TextField label="Reason" rows={2} max={1000} value={why} set={setWhy} required hint="Shown in the history of the access." />
    </AskFirst>
  );
}
