import { Download } from "lucide-react";
import { useRef, useState } from "react";
import * as words from "#text/kit";
import * as text from "#text/separation";
import { download, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { number } from "../../kit/count";
import { Filters } from "../../kit/filters";
import { useFitting } from "../../kit/fitting";
import { Button, Failure, Skeleton, Table, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import type { Filter } from "../../kit/listtypes";
import { PersonLink } from "../../kit/personlink";
import { Grade } from "./badges";
import { gradeOptions } from "./words";

type Simulation = Of<"SeparationSimulation">;
type Result = Of<"SeparationSimulationResult">;

const size = 25;

/** All violations in the result of a simulation, with filters, in pages. The address does not change: the form around it is not saved. */
export function SimulationResults({ of: s }: { of: Simulation }) {
  const [filters, setFilters] = useState<Record<string, string>>(
    s.violations_new + s.violations_closed > 0 ? { change: "new,closed" } : {},
  );
  const [page, turn] = useState(0);
  const at = `/policies/separation-of-duties/simulations/${s.id}/results`;
  const found = useGet<Page<Result>>(at, { ...filters, limit: size, offset: page * size }, { keep: true });
  const file = useAct<void, void>({ act: () => download(`${at}/file`, "simulation.ndjson", { query: filters }) });
  const line = useRef<HTMLDivElement>(null);
  const of = filtersOf(s);
  const room = useFitting(line, of.length);
  const set = (change: Record<string, string | undefined>) => {
    turn(0);
    setFilters(Object.fromEntries(Object.entries({ ...filters, ...change }).filter((e): e is [string, string] => Boolean(e[1]))));
  };
  const total = found.data?.total ?? 0;
  return (
    <section className="stack tight list" aria-label={text.violationsInTheResult}>
      <h3>{text.violationsInTheResult}</h3>
      <div className="list-line" ref={line}>
        <Filters room={room} of={of} search={text.peopleAndPolicies} value={filters} set={set} />
        <Button reads onClick={() => file.mutate()}>
          <Download aria-hidden size={15} /> {text.downloadNdjson}
        </Button>
      </div>
      {found.error && !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : !found.data ? (
        <Skeleton rows={5} />
      ) : total === 0 ? (
        <p className="small muted">{text.noViolationInTheResult}</p>
      ) : (
        <>
          <Rows of={found.data.items} />
          <div className="row">
            <span className="small muted grow">
              {text.rowsOf(number(page * size + 1), number(Math.min(total, (page + 1) * size)), number(total))}
            </span>
            <Button reads disabled={page === 0} onClick={() => turn(page - 1)}>
              {words.previous}
            </Button>
            <Button reads disabled={(page + 1) * size >= total} onClick={() => turn(page + 1)}>
              {words.next}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

function filtersOf(s: Simulation): Filter[] {
  const policies = (s.impact?.by_policy ?? []).flatMap((p) => (p.policy_id ? [[p.policy_id, p.name] as const] : []));
  const departments = (s.impact?.by_department ?? []).flatMap((d) => (d.department ? [[d.department, d.department] as const] : []));
  return [
    { name: "change", words: text.change, options: changes },
    { name: "grade", words: text.grade, options: gradeOptions },
    ...(policies.length > 1 ? [{ name: "policy_id", words: text.policy, options: policies }] : []),
    ...(departments.length > 0 ? [{ name: "department", words: text.department, options: departments }] : []),
  ];
}

const changes = Object.entries(text.changes) as [string, string][];

function Rows({ of }: { of: Result[] }) {
  return (
    <Table label={text.people}>
      <thead>
        <tr>
          <th scope="col">{text.person}</th>
          <th scope="col">{text.change}</th>
          <th scope="col">{text.conflict}</th>
          <th scope="col">{text.grade}</th>
        </tr>
      </thead>
      <tbody>
        {of.map((r) => (
          <tr key={r.id}>
            <td>
              <PersonLink id={r.identity.id}>
                <Text of={r.identity.display} />
              </PersonLink>
              {r.department && (
                <span className="small muted conflict-way">
                  <bdi>{r.department}</bdi>
                </span>
              )}
            </td>
            <td>{text.changesOfOne[r.change]}</td>
            <td className="wide">
              {r.policy_id ? (
                <Link to="/separation-of-duties/$id" params={{ id: r.policy_id }}>
                  <Text of={r.policy} />
                </Link>
              ) : (
                <Text of={r.policy} />
              )}
              <span className="small muted conflict-way">{r.sides.join(text.and)}</span>
            </td>
            <td>
              <Grade of={r.grade} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
