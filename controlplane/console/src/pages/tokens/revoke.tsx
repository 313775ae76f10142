import { useState } from "react";
import * as text from "#text/tokens";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { DurationField } from "../../kit/durationfield";
import { Check } from "../../kit/form";
import type { Token } from "./words";

const changes = ["/settings/api-tokens"];

/** Makes a successor; the token works beside it until programs have changed over. */
export function Rotate({ of, issue, close }: { of: Token; issue: (t: Of<"Issued">) => void; close: () => void }) {
  const [overlap, setOverlap] = useState("P1D");
  const act = useAct<string, Of<"Issued">>({
    quiet: true,
    changes,
    act: (span, key) => ask("POST", `/settings/api-tokens/${of.id}/rotate`, { key, body: { overlap: span } }),
    after: issue,
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.replaceToken}
      lead={text.createsATokenWithTheSame}
      verb={text.replace}
      disabled={!overlap}
      act={() => act.mutateAsync(overlap)}
    >
      <DurationField
        label={text.overlapOfTheCurrentToken}
        value={overlap}
        set={setOverlap}
        units={["hour", "day"]}
        hint={text.atMost7Days}
        required
      />
    </ConfirmDialog>
  );
}

/** Ends a token for good. */
export function Revoke({ of, close }: { of: Token; close: () => void }) {
  const [stolen, setStolen] = useState(false);
  const act = useAct<boolean>({
    quiet: true,
    changes,
    done: text.tokenRevoked,
    act: (successors, key) =>
      ask("DELETE", `/settings/api-tokens/${of.id}`, { key, ifMatch: of.version, query: successors ? { successors } : {} }),
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.revokeToken}
      lead={text.theTokenAndAllTokensCreated}
      verb={text.revoke}
      tone="danger"
      act={() => act.mutateAsync(stolen)}
    >
      <Check label={text.theTokenWasStolen} hint={text.alsoRevokesItsReplacementAndAll} value={stolen} set={setStolen} />
    </ConfirmDialog>
  );
}
