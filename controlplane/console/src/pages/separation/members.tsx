import { X } from "lucide-react";
import { useState } from "react";
import * as text from "#text/duties";
import type { Of } from "../../api/types";
import { Button, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";

export type Member = Of<"DutyMember">;

const most = 50;

/** How a member is called. */
export const memberName = (m: Member): string =>
  m.kind === "duty_tag" ? (m.duty_tag ?? "") : m.kind === "external" && !m.name ? (m.external_id ?? "") : m.name || text.noLongerExists;

const places: Record<string, (m: Member) => { to: string; id: string | undefined }> = {
  entitlement: (m) => ({ to: "/access/$id", id: m.entitlement_id }),
  role: (m) => ({ to: "/roles/$id", id: m.role_id }),
  connector: (m) => ({ to: "/connectors/$id", id: m.connector_id }),
};

/** The members of a group. drop: takes one of them out. */
export function Members({
  of,
  label,
  drop,
  wrong,
}: {
  of: Member[];
  label: string;
  drop?: (i: number) => void;
  wrong?: (i: number) => string | undefined;
}) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? of : of.slice(0, most);
  return (
    <>
      <ul className="duty-members" aria-label={label}>
        {shown.map((m, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: members have no ids of their own
          <li key={i}>
            <MemberLine of={m} edited={Boolean(drop)} />
            {drop && (
              <Button tone="quiet" className="icon" aria-label={text.removeMember(memberName(m))} onClick={() => drop(i)}>
                <X aria-hidden size={13} />
              </Button>
            )}
            {wrong?.(i) && (
              <small className="bad" role="alert">
                {wrong(i)}
              </small>
            )}
          </li>
        ))}
      </ul>
      {of.length > shown.length && (
        <Button reads tone="quiet" onClick={() => setWhole(true)}>
          {text.showMoreMembers(of.length - shown.length)}
        </Button>
      )}
    </>
  );
}

function MemberLine({ of: m, edited }: { of: Member; edited: boolean }) {
  const place = edited ? undefined : places[m.kind]?.(m);
  const name = <Text of={memberName(m)} />;
  const system = (m as { connector_name?: string }).connector_name;
  return (
    <span className="grow">
      {place?.id && m.name ? (
        <Link className="sep-link" to={place.to} params={{ id: place.id }}>
          {name}
        </Link>
      ) : (
        name
      )}{" "}
      <span className="small muted">
        {[
          text.memberKinds[m.kind] ?? m.kind,
          m.kind === "connector" ? "" : system,
          m.entitlement_count && m.kind !== "entitlement" ? text.entitlementCount(m.entitlement_count) : "",
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>{" "}
      {m.entitlement_count === 0 && (
        <State of="missing" tone="warn" words={m.kind === "external" ? text.notReadYet : text.entitlementCount(0)} />
      )}
    </span>
  );
}
