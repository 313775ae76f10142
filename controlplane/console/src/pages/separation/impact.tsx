import * as text from "#text/separation";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { Badge, Facts, Note, Table } from "../../kit/kit";

type Impact = Of<"SeparationImpact">;

/** Violations that a change would cause and end: in all, by policy and by department. */
export function ImpactOf({ of: i }: { of: Impact }) {
  return (
    <>
      {i.notes.map((n) => (
        <Note key={n} tone="warn">
          {n}
        </Note>
      ))}
      <Facts
        of={[
          [text.newViolations, `+ ${number(i.violations_new)}`],
          [text.endedViolations, `− ${number(i.violations_closed)}`],
          [text.violationsAfter, number(i.violations_total)],
          [text.peopleAffected, text.peopleAffectedOf(number(i.identities_affected), number(i.people_total))],
        ]}
      />
      {i.violations_new + i.violations_closed === 0 && <p className="small muted">{text.nothingChanges}</p>}
      {i.by_policy.length > 1 || i.by_policy.some((p) => p.blind_sides.length > 0) ? <Policies of={i.by_policy} /> : null}
      {i.by_department.length > 0 && <Departments of={i.by_department} />}
    </>
  );
}

function Policies({ of }: { of: Impact["by_policy"] }) {
  return (
    <Table label={text.byPolicy}>
      <thead>
        <tr>
          <th scope="col">{text.policy}</th>
          <th scope="col" className="num">
            {text.before}
          </th>
          <th scope="col" className="num">
            {text.after}
          </th>
        </tr>
      </thead>
      <tbody>
        {of.map((p) => (
          <tr key={p.policy_id ?? ""}>
            <td>
              <bdi>{p.name || text.thisPolicy}</bdi> {p.blind_sides.length > 0 && <Badge tone="warn">{text.policyBecomesBlind}</Badge>}
            </td>
            <td className="num">{number(p.before)}</td>
            <td className="num">{number(p.after)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Departments({ of }: { of: Impact["by_department"] }) {
  return (
    <Table label={text.byDepartment}>
      <thead>
        <tr>
          <th scope="col">{text.department}</th>
          <th scope="col" className="num">
            {text.newViolations}
          </th>
          <th scope="col" className="num">
            {text.endedViolations}
          </th>
        </tr>
      </thead>
      <tbody>
        {of.slice(0, 10).map((d) => (
          <tr key={d.department}>
            <td>
              <bdi>{d.department || text.withoutADepartment}</bdi>
            </td>
            <td className="num">+ {number(d.violations_new)}</td>
            <td className="num">− {number(d.violations_closed)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
