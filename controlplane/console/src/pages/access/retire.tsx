import { useState } from "react";
import * as text from "#text/access";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { Link } from "../../kit/link";
import { access, Pick, type Picked } from "../../kit/pick";

type Impact = Of<"RetirementImpact">;

/** Takes it out of use, and shows first who holds it and what gives it. */
export function Retire({ of: e, close }: { of: Of<"EntitlementDetail">; close: () => void }) {
  const [instead, setInstead] = useState<Picked | null>(null);
  const path = `/entitlements/${e.id}/retire`;
  const body = instead ? { replacement_id: instead.id } : {};
  const preview = useDryRun<Impact>(path, body, true);
  const retire = useAct<void, Impact>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body, key }),
    done: text.theEntitlementIsRetired,
    changes: ["/entitlements"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.retireEntitlement}
      lead={text.itCanNoLongerBeRequested}
      verb={text.retire}
      tone="danger"
      disabled={Boolean(preview.error)}
      act={() => retire.mutateAsync()}
    >
      <Pick label={text.replacement} source={access} value={instead} set={setInstead} />
      <DryRun of={preview}>
        {(i) => (
          <ul className="small">
            <li>{text.accountsHoldItAndKeepIt(i.holders)}</li>
            <li>{text.activeReasonsGrantIt(i.reasons)}</li>
            <li>{text.openRequestsAskForIt(i.open_requests)}</li>
            {(i.roles ?? []).map((r) => (
              <li key={r.id}>
                {text.theRoleRStopsGrantingIt(
                  <Link to="/roles/$id" params={{ id: r.id }} className="person-link">
                    <bdi>{r.display}</bdi>
                  </Link>,
                )}
              </li>
            ))}
          </ul>
        )}
      </DryRun>
    </ConfirmDialog>
  );
}
