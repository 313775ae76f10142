import { useState } from "react";
import * as text from "#text/people";
import { ask } from "../../api/client";
import type { Grant } from "../../api/types";
import { useAct } from "../../api/use";
import { dayEnds, dayOf } from "../../kit/day";
import { ConfirmDialog } from "../../kit/dialog";
import { problemAt, TextField } from "../../kit/form";

/** Moves the end of what somebody decided for a time. What a rule gives ends as the rule says, and is refused. */
export function Extend({ grant, close }: { grant: Grant; close: () => void }) {
  const [until, setUntil] = useState("");
  const [was] = useState(dayOf(grant.ends_at)); // as it was asked: the grant is read again before this closes
  const extend = useAct<void, Grant>({
    quiet: true,
    act: (_, key) => ask("POST", `/entitlements/grants/${grant.id}/extend`, { body: { ends_at: dayEnds(until) }, key }),
    done: text.extendedUntilUntil(until), // the answer may still tell the end before: what ends a grant is worked out a moment later
    changes: ["/entitlements", "/identities", "/accounts"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.extendAccess}
      lead={was ? text.itEndsOnWas(was) : text.itHasNoEndDate}
      verb={text.extend}
      disabled={!until}
      act={() => extend.mutateAsync()}
    >
      <TextField label={text.lastDay} type="date" value={until} set={setUntil} required error={problemAt(extend.error, "ends_at")} />
    </ConfirmDialog>
  );
}
