import { lazy, Suspense, useState } from "react";
import * as text from "#text/access";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Pick, type Picked, people } from "../../kit/pick";
import { nameOf } from "./words";

// It comes when a person is chosen.
const Prediction = lazy(() => import("../separation/verdict").then((m) => ({ default: m.Prediction })));

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
    done: text.accessGrantedOpenTheReasonTo,
    changes: ["/entitlements", "/identities", "/accounts"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.assignAccess}
      lead={text.nameOfIsGrantedThroughThe(<bdi>{nameOf(e)}</bdi>)}
      verb={text.assign}
      disabled={!who || !why.trim()}
      act={() => give.mutateAsync()}
    >
      <Pick label={text.person} source={people} value={who} set={setWho} required />
      {who && (
        <Suspense fallback={null}>
          <Prediction person={who.id} add={{ entitlement_id: e.id }} />
        </Suspense>
      )}
      <TextField
        label={text.lastDay}
        type="date"
        value={until}
        set={setUntil}
        hint={limited ? text.ifEmptyAccessEndsAfterThe : text.ifEmptyAccessHasNoEnd}
      />
      <TextField label={text.reason} rows={2} max={1000} value={why} set={setWhy} required hint={text.shownInTheHistoryOfThe} />
    </ConfirmDialog>
  );
}
