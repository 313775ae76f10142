import { useState } from "react";
import { ask } from "../../api/client";
import type { Grant } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";

/** Moves the end of what somebody decided for a time. What a rule gives ends as the rule says, and is refused. */
export function Extend({ grant, open, close }: { grant: Grant; open: boolean; close: () => void }) {
  const [until, setUntil] = useState("");
  const extend = useAct<void, Grant>({
    quiet: true,
    act: (_, key) =>
      ask("POST", `/entitlements/grants/${grant.id}/extend`, { body: { ends_at: new Date(`${until}T23:59:59`).toISOString() }, key }),
    done: (g) => `It lasts until ${g.ends_at?.slice(0, 10) ?? until} now.`,
    changes: ["/entitlements", "/identities", "/accounts"],
  });
  return (
    <AskFirst
      open={open}
      close={close}
      title="Extend this access"
      lead={grant.ends_at ? `It ends on ${grant.ends_at.slice(0, 10)}.` : "It does not end by itself."}
      verb="Extend"
      disabled={!until}
      act={() => extend.mutateAsync()}
    >
      <TextField label="Last day" type="date" value={until} set={setUntil} required />
    </AskFirst>
  );
}
