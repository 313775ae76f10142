import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Check } from "../../kit/form";
import { SpanField } from "../../kit/spanfield";
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
      title="Replace this token"
      lead="Another is made that may do the same, for as long again. This one goes on for a while, so that programs can change over."
      verb="Replace it"
      disabled={!overlap}
      act={() => act.mutateAsync(overlap)}
    >
      <SpanField label="This one goes on for" value={overlap} set={setOverlap} units={["hour", "day"]} hint="At most 7 days." required />
    </AskFirst>
  );
}

/** Ends a token for good. */
export function Revoke({ of, close }: { of: Token; close: () => void }) {
  const [stolen, setStolen] = useState(false);
  const act = useAct<boolean>({
    quiet: true,
    changes,
    done: "The token is revoked.",
    act: (successors, key) =>
      ask("DELETE", `/settings/api-tokens/${of.id}`, { key, ifMatch: of.version, query: successors ? { successors } : {} }),
  });
  return (
    <AskFirst
      open
      close={close}
      title="Revoke this token"
      lead="It is dead at once here and within five seconds everywhere, with all tokens that were made by it. Programs that still use it fail. This cannot be undone."
      verb="Revoke it"
      tone="danger"
      act={() => act.mutateAsync(stolen)}
    >
      <Check
        label="It was stolen"
        hint="Then what has replaced it is revoked too, and whatever that has made."
        value={stolen}
        set={setStolen}
      />
    </AskFirst>
  );
}
