import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { count } from "../../kit/count";
import { AskFirst } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { access, Pick, type Picked } from "../../kit/pick";

type Impact = Of<"RetirementImpact">;

/** Takes it out of use, and shows first who holds it and what gives it. */
export function Retire({ of: e, close }: { of: Of<"EntitlementDetail">; close: () => void }) {
  const [instead, setInstead] = useState<Picked | null>(null);
  const path = `/entitlements/${e.id}/retire`;
  const body = instead ? { replacement_id: instead.id } : {};
  const tried = useDryRun<Impact>(path, body, true);
  const retire = useAct<void, Impact>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body, key }),
    done: "The entitlement is retired.",
    changes: ["/entitlements"],
  });
  return (
    <AskFirst
      open
      close={close}
      title="Retire entitlement"
      lead="It can no longer be requested, and roles and policies stop granting it. Current holders keep it until it ends or is revoked."
      verb="Retire"
      tone="danger"
      disabled={Boolean(tried.error)}
      act={() => retire.mutateAsync()}
    >
      <Pick label="Replacement" source={access} value={instead} set={setInstead} />
      <DryRun of={tried}>
        {(i) => (
          <ul className="small">
            <li>{count(i.holders, "account holds it and keeps it.", "accounts hold it and keep it.")}</li>
            <li>{count(i.reasons, "active reason grants it.", "active reasons grant it.")}</li>
            <li>{count(i.open_requests, "open request asks for it.", "open requests ask for it.")}</li>
            {(i.roles ?? []).map((r) => (
              <li key={r.id}>
                The role{" "}
                <Link to="/roles/$id" params={{ id: r.id }} className="person-link">
                  <bdi>{r.display}</bdi>
                </Link>{" "}
                stops granting it.
              </li>
            ))}
          </ul>
        )}
      </DryRun>
    </AskFirst>
  );
}
