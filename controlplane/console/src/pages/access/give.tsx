import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Pick, type Picked, people } from "../../kit/pick";
import { nameOf } from "./words";

/** Gives it to somebody without a request: an administrator's own decision, which stands in the history. */
export function Give({ of: e, close }: { of: Of<"EntitlementDetail">; close: () => void }) {
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
    done: "It is given. The system is told next; why they hold it says how far it is.",
    changes: ["/entitlements", "/identities", "/accounts"],
  });
  return (
    <AskFirst
      open
      close={close}
      title="Give it to somebody"
      lead={
        <>
          <bdi>{nameOf(e)}</bdi>, through their account in its system. Nobody else is asked.
        </>
      }
      verb="Give it"
      disabled={!who || !why.trim()}
      act={() => give.mutateAsync()}
    >
      <Pick label="Who" source={people} value={who} set={setWho} required />
      <TextField
        label="Last day"
        type="date"
        value={until}
        set={setUntil}
        hint={limited ? "If empty, access ends after the default duration." : "If empty, access has no end."}
      />
      <TextField label="Why" rows={2} max={1000} value={why} set={setWhy} required hint="It stands in the history of the access." />
    </AskFirst>
  );
}
