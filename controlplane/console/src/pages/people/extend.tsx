import { useState } from "react";
import { ask } from "../../api/client";
import type { Grant } from "../../api/types";
import { useAct } from "../../api/use";
import { dayEnds, dayOf } from "../../kit/day";
import { AskFirst } from "../../kit/dialog";
import { problemAt, TextField } from "../../kit/form";

/** Moves the end of what somebody decided for a time. What a rule gives ends as the rule says, and is refused. */
export function Extend({ grant, close }: { grant: Grant; close: () => void }) {
  const [until, setUntil] = useState("");
  const [was] = useState(dayOf(grant.ends_at)); // as it was asked: the grant is read again before this closes
  const extend = useAct<void, Grant>({
    quiet: true,
    act: (_, key) => ask("POST", `/entitlements/grants/${grant.id}/extend`, { body: { ends_at: dayEnds(until) }, key }),
    done: `Extended until ${until}.`, // the answer may still tell the end before: what ends a grant is worked out a moment later
    changes: ["/entitlements", "/identities", "/accounts"],
  });
  return (
    <AskFirst
      open
      close={close}
      title="Extend access"
      lead={was ? `It ends on ${was}.` : "It has no end date."}
      verb="Extend"
      disabled={!until}
      act={() => extend.mutateAsync()}
    >
      <TextField label="Last day" type="date" value={until} set={setUntil} required error={problemAt(extend.error, "ends_at")} />
    </AskFirst>
  );
}
