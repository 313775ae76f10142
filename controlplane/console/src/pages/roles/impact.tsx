import "./roles.css";
import { useState } from "react";
import type { Of } from "../../api/types";
import { count, number } from "../../kit/count";
import { Bar } from "../../kit/elements";
import { Button, Note, Table } from "../../kit/kit";
import { PersonLink } from "../../kit/personlink";
import { many } from "../connectors/words";
import { AccessName } from "./names";

/** Who would gain and lose what: in numbers, by department, and person by person for the first. */
export function Impact({ of }: { of: Of<"PolicyImpact"> }) {
  const departments = of.by_department ?? [];
  const fresh = of.grants_added - of.grants_held;
  return (
    <div className="stack tight">
      <p className="small">
        {of.identities_affected === 0 ? (
          "No one gains or loses access."
        ) : (
          <>
            <strong>{of.identities_affected.toLocaleString("en")}</strong> of {count(of.people_total, "person", "people")} gain or lose
            access: <span className="roles-came">+ {fresh.toLocaleString("en")} new in the system</span>,{" "}
            {of.grants_held > 0 && `${of.grants_held.toLocaleString("en")} held already with only a new reason, `}
            <span className="roles-gone">− {of.grants_ended.toLocaleString("en")} revoked</span>
            {of.accounts_created > 0 && `, ${many(of.accounts_created, "account")} created`}.
          </>
        )}
      </p>
      {of.identities_affected > 0 && (
        <Bar
          label="Of all people"
          of={[
            { words: "new or less access", value: of.identities_affected - of.identities_reason_only, tone: 1 },
            { words: "only a new reason", value: of.identities_reason_only, tone: 2 },
            { words: "not affected", value: Math.max(0, of.people_total - of.identities_affected), tone: 0 },
          ]}
        />
      )}
      {(of.notes ?? []).map((n) => (
        <Note key={n}>{n}</Note>
      ))}
      {departments.length > 1 && (
        <p className="small muted">
          {departments
            .slice(0, 6)
            .map((d) => `${d.department || "without a department"}: ${d.identities_affected.toLocaleString("en")}`)
            .join(" · ")}
        </p>
      )}
      {(of.sample ?? []).length > 0 && <People of={of.sample ?? []} whole={of.identities_affected} />}
    </div>
  );
}

function People({ of, whole }: { of: Of<"PersonImpact">[]; whole: number }) {
  const [open, setOpen] = useState(false);
  const words = of.length < whole ? `the first ${number(of.length)} of ${count(whole, "person", "people")}` : "each of them";
  return (
    <>
      <div>
        <Button reads tone="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide" : "Show"} {words}
        </Button>
      </div>
      {open && (
        <Table label="Affected people">
          <thead>
            <tr>
              <th scope="col">Person</th>
              <th scope="col">Gains</th>
              <th scope="col">Loses</th>
            </tr>
          </thead>
          <tbody>
            {of.map((p) => (
              <Row key={p.identity_id} of={p} />
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}

function Row({ of: p }: { of: Of<"PersonImpact"> }) {
  return (
    <tr>
      <td>
        <PersonLink id={p.identity_id}>
          <bdi>{p.display}</bdi>
        </PersonLink>
        {p.department && <span className="muted small"> · {p.department}</span>}
      </td>
      <td className="wide">
        {p.gains.map((g) => (
          <Shift key={`${g.connector_id}${g.entitlement_id}`} of={g} sign="+ " />
        ))}
      </td>
      <td className="wide">
        {p.losses.map((g) => (
          <Shift key={`${g.connector_id}${g.entitlement_id}`} of={g} sign="− " />
        ))}
      </td>
    </tr>
  );
}

function Shift({ of, sign }: { of: Of<"GrantShift">; sign: string }) {
  return (
    <div>
      {of.entitlement_id ? <AccessName id={of.entitlement_id} lead={sign} /> : `${sign}an account`}
      {of.held && <span className="muted small"> · held already</span>}
    </div>
  );
}
