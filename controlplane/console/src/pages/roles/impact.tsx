import "./roles.css";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Of } from "../../api/types";
import { Bar } from "../../kit/bits";
import { Button, Note, Table } from "../../kit/kit";
import { AccessName } from "./names";

/** Who would gain and lose what: in numbers, by department, and person by person for the first. */
export function Impact({ of }: { of: Of<"PolicyImpact"> }) {
  const departments = of.by_department ?? [];
  return (
    <div className="stack tight">
      <p className="small">
        {of.identities_affected === 0 ? (
          "Nobody gains or loses anything."
        ) : (
          <>
            <strong>{of.identities_affected.toLocaleString("en")}</strong> of {of.people_total.toLocaleString("en")} people gain or lose
            something: <span className="roles-came">+ {of.grants_added.toLocaleString("en")} given</span>,{" "}
            <span className="roles-gone">− {of.grants_ended.toLocaleString("en")} taken away</span>
            {of.accounts_created > 0 && `, ${of.accounts_created.toLocaleString("en")} accounts made`}.
          </>
        )}
      </p>
      {of.identities_affected > 0 && (
        <Bar
          label="Of all people"
          of={[
            { words: "affected", value: of.identities_affected, tone: 1 },
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
            .map((d) => `${d.department || "without a department"}: ${d.identities_affected}`)
            .join(" · ")}
        </p>
      )}
      {(of.sample ?? []).length > 0 && <People of={of.sample ?? []} whole={of.identities_affected} />}
    </div>
  );
}

function People({ of, whole }: { of: Of<"PersonImpact">[]; whole: number }) {
  const [open, setOpen] = useState(false);
  const words = of.length < whole ? `the first ${of.length} of ${whole.toLocaleString("en")} people` : "each of them";
  return (
    <>
      <div>
        <Button reads tone="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide" : "Show"} {words}
        </Button>
      </div>
      {open && (
        <Table label="Who gains and loses what">
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
        <Link to="/people/$id" params={{ id: p.identity_id }}>
          <bdi>{p.display}</bdi>
        </Link>
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
  return <div>{of.entitlement_id ? <AccessName id={of.entitlement_id} lead={sign} /> : `${sign}an account`}</div>;
}
