import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
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
    <AskFirst
      open
      close={close}
      title="Replace token"
      lead="Creates a token with the same permissions and lifetime. The current token works for a while, so that you can update programs."
      verb="Replace"
      disabled={!overlap}
      act={() => act.mutateAsync(overlap)}
    >
      <DurationField
        label="Overlap of the current token"
        value={overlap}
        set={setOverlap}
        units={["hour", "day"]}
        hint="At most 7 days."
        required
      />
    </AskFirst>
  );
}

/** Ends a token for good. */
export function Revoke({ of, close }: { of: Token; close: () => void }) {
  const [stolen, setStolen] = useState(false);
  const act = useAct<boolean>({
    quiet: true,
    changes,
    done: "Token revoked.",
    act: (successors, key) =>
      ask("DELETE", `/settings/api-tokens/${of.id}`, { key, ifMatch: of.version, query: successors ? { successors } : {} }),
  });
  return (
    <AskFirst
      open
      close={close}
      title="Revoke token"
      lead="The token, and all tokens created with it, stop working within five seconds. Programs that use them fail. You cannot undo this."
      verb="Revoke"
      tone="danger"
      act={() => act.mutateAsync(stolen)}
    >
      <Check
        label="The token was stolen"
        hint="Also revokes its replacement, and all tokens created with it."
        value={stolen}
        set={setStolen}
      />
    </AskFirst>
  );
}
