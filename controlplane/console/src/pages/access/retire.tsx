import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { access, Pick, type Picked } from "../../kit/pick";
import { Tried, useTry } from "../../kit/tryfirst";

type Impact = Of<"RetirementImpact">;

/** Takes it out of use, and shows first who holds it and what gives it. */
export function Retire({ of: e, close }: { of: Of<"EntitlementDetail">; close: () => void }) {
  const [instead, setInstead] = useState<Picked | null>(null);
  const path = `/entitlements/${e.id}/retire`;
  const body = instead ? { replacement_id: instead.id } : {};
  const tried = useTry<Impact>(path, body, true);
  const retire = useAct<void, Impact>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body, key }),
    done: "It is out of use.",
    changes: ["/entitlements"],
  });
  return (
    <AskFirst
      open
      close={close}
      title="Take it out of use"
      lead="Nobody is offered it any more, and roles and rules give it no more. Who holds it keeps it until it ends or is taken away."
      verb="Take it out of use"
      tone="danger"
      disabled={Boolean(tried.error)}
      act={() => retire.mutateAsync()}
    >
      <Pick label="What to ask for instead" source={access} value={instead} set={setInstead} />
      <Tried of={tried}>
        {(i) => (
          <ul className="small">
            <li>{i.holders.toLocaleString("en")} {i.holders === 1 ? "account holds" : "accounts hold"} it, and {i.holders === 1 ? "keeps" : "keep"} it.</li>
            <li>{i.reasons.toLocaleString("en")} {i.reasons === 1 ? "reason asks" : "reasons ask"} for it now.</li>
            <li>{i.open_requests.toLocaleString("en")} open {i.open_requests === 1 ? "request" : "requests"} for it.</li>
            {(i.roles ?? []).map((r) => (
              <li key={r.id}>
                The role{" "}
                <Link to="/roles/$id" params={{ id: r.id }} className="person-link">
                  <bdi>{r.display}</bdi>
                </Link>{" "}
                gives it no more.
              </li>
            ))}
          </ul>
        )}
      </Tried>
    </AskFirst>
  );
}
