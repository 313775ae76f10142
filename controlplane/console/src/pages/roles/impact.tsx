import * as text from "#text/roles";
import "./roles.css";
import { useState } from "react";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { Bar } from "../../kit/elements";
import { Button, Note, Table } from "../../kit/kit";
import { PersonLink } from "../../kit/personlink";
import { AccessName } from "./names";

/** Who would gain and lose what: in numbers, by department, and person by person for the first. */
export function Impact({ of }: { of: Of<"PolicyImpact"> }) {
  const departments = of.by_department ?? [];
  const fresh = of.grants_added - of.grants_held;
  const both = of.people_lacking > 0 && (of.identities_affected === 0 || of.grants_added + of.grants_ended > 0);
  return (
    <div className="stack tight">
      <p className="small">
        {of.identities_affected === 0 ? (
          text.noOneGainsOrLosesAccess
        ) : of.people_lacking > 0 && !both ? (
          text.peopleLackSomething(number(of.people_lacking), number(of.people_total))
        ) : of.eligibility_gained + of.eligibility_lost > 0 ? (
          text.peopleWhoCanRequest(number(of.eligibility_gained), number(of.eligibility_lost))
        ) : (
          <>
            {text.identitiesAffectedOfPeopleGainOr(
              <strong>{of.identities_affected.toLocaleString("en")}</strong>,
              of.people_total,
              <span className="roles-added">{text.freshNewInTheSystem(fresh.toLocaleString("en"))}</span>,
            )}{" "}
            {of.grants_held > 0 && text.grantsHeldHeldAlreadyWithOnly(of.grants_held.toLocaleString("en"))}
            <span className="roles-removed">{text.grantsEndedRevoked(of.grants_ended.toLocaleString("en"))}</span>
            {of.accounts_created > 0 && text.accountsCreated(of.accounts_created)}.
          </>
        )}
      </p>
      {of.identities_affected > 0 && (
        <Bar
          label={text.ofAllPeople}
          of={[
            {
              words: of.people_lacking > 0 && !both ? text.lacks : text.newOrLessAccess,
              value: of.identities_affected - of.identities_reason_only,
              tone: 1,
            },
            { words: text.onlyANewReason, value: of.identities_reason_only, tone: 2 },
            { words: text.notAffected, value: Math.max(0, of.people_total - of.identities_affected), tone: 0 },
          ]}
        />
      )}
      {both && <p className="small">{text.peopleLackSomething(number(of.people_lacking), number(of.people_total))}</p>}
      {of.people_to_review > 0 && (
        <p className="small">{text.peopleKeepAccessUntilItIsReviewed(number(of.people_to_review), number(of.grants_to_review))}</p>
      )}
      {(of.notes ?? []).map((n) => (
        <Note key={n}>{n}</Note>
      ))}
      {departments.length > 1 && (
        <p className="small muted">
          {departments
            .slice(0, 6)
            .map((d) => `${d.department || text.withoutADepartment}: ${d.identities_affected.toLocaleString("en")}`)
            .join(" · ")}
        </p>
      )}
      {(of.sample ?? []).length > 0 && <People of={of.sample ?? []} whole={Math.max(of.identities_affected, (of.sample ?? []).length)} />}
    </div>
  );
}

function People({ of, whole }: { of: Of<"PersonImpact">[]; whole: number }) {
  const [open, setOpen] = useState(false);
  const lacking = of.some((p) => p.missing?.length);
  const words = of.length < whole ? text.theFirstCountOfPeople(number(of.length), whole) : text.eachOfThem;
  return (
    <>
      <div>
        <Button reads tone="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? text.hide : text.show} {words}
        </Button>
      </div>
      {open && (
        <Table label={text.affectedPeople}>
          <thead>
            <tr>
              <th scope="col">{text.person}</th>
              {lacking ? (
                <th scope="col">{text.lacks}</th>
              ) : (
                <>
                  <th scope="col">{text.gains}</th>
                  <th scope="col">{text.loses}</th>
                </>
              )}
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
      {p.missing?.length ? <td className="wide">{p.missing.map((m) => m.display).join(", ")}</td> : <Shifts of={p} />}
    </tr>
  );
}

function Shifts({ of: p }: { of: Of<"PersonImpact"> }) {
  return (
    <>
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
    </>
  );
}

function Shift({ of, sign }: { of: Of<"GrantShift">; sign: string }) {
  return (
    <div>
      {of.entitlement_id ? <AccessName id={of.entitlement_id} lead={sign} /> : text.signAnAccount(sign)}
      {of.held && <span className="muted small"> {text.heldAlready}</span>}
    </div>
  );
}
