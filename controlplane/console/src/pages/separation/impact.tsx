import { useEffect, useRef, useState } from "react";
import * as text from "#text/separation";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { Badge, Button, Facts, Note, Part, Problems, Skeleton, Table } from "../../kit/kit";
import { PersonLink } from "../../kit/personlink";
import { Grade } from "./badges";

type Impact = Of<"SeparationImpact">;
type Running = { impact?: Impact; error?: unknown; of?: string; since?: number };

/** Runs a simulation over all people, which can take seconds, and can be stopped. */
export function useSimulation(path: string) {
  const [state, setState] = useState<Running>({});
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const run = async (body?: object) => {
    control.current?.abort();
    const mine = new AbortController();
    control.current = mine;
    setState({ since: Date.now() });
    try {
      const impact = await ask<Impact>("POST", path, { signal: mine.signal, ...(body ? { body } : {}) });
      if (!mine.signal.aborted) setState({ impact, of: JSON.stringify(body) });
    } catch (error) {
      if (!mine.signal.aborted) setState({ error });
    }
  };
  const stop = () => {
    control.current?.abort();
    setState({});
  };
  return { ...state, busy: state.since !== undefined, run, stop };
}

export type Simulating = ReturnType<typeof useSimulation>;

/** What a simulation has found, how far it is, or why it could not be done. */
export function SimulationResult({ of: s, unsaved }: { of: Simulating; unsaved?: string }) {
  if (s.busy) return <Progress since={s.since ?? 0} stop={s.stop} />;
  if (s.error) return <Problems of={s.error} />;
  if (!s.impact) return null;
  return (
    <div className="stack">
      {unsaved !== undefined && s.of !== unsaved && <p className="small muted">{text.previewAgain}</p>}
      <ImpactOf of={s.impact} />
    </div>
  );
}

function Progress({ since, stop }: { since: number; stop: () => void }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div className="stack tight">
      <div className="row">
        <span className="small muted" role="status">
          {text.simulating(Math.max(0, Math.round((now - since) / 1000)))}
        </span>
        <Button reads tone="quiet" onClick={stop}>
          {text.cancel}
        </Button>
      </div>
      <Skeleton rows={3} />
    </div>
  );
}

/** What a draft would change, on request, beside the form in which it is written. */
export function DraftImpact({ of: simulation, body }: { of: Simulating; body: object }) {
  return (
    <Part
      title={text.preview}
      lead={text.previewLead}
      actions={
        <Button reads disabled={simulation.busy} onClick={() => void simulation.run(body)}>
          {text.preview}
        </Button>
      }
    >
      <SimulationResult of={simulation} unsaved={JSON.stringify(body)} />
    </Part>
  );
}

/** Violations that a change would cause and end: in all, by policy, by department, and for the first people. */
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
      {i.sample.length > 0 && <Sample of={i.sample} />}
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

function Sample({ of }: { of: Impact["sample"] }) {
  return (
    <Table label={text.firstPeople(of.length)}>
      <thead>
        <tr>
          <th scope="col">{text.person}</th>
          <th scope="col">{text.change}</th>
          <th scope="col">{text.conflict}</th>
          <th scope="col">{text.grade}</th>
        </tr>
      </thead>
      <tbody>
        {of.flatMap((p) =>
          [...p.new.map((v) => ({ v, sign: "+" })), ...p.closed.map((v) => ({ v, sign: "−" }))].map(({ v, sign }) => (
            <tr key={`${p.identity_id} ${sign} ${v.policy} ${v.sides.join()}`}>
              <td>
                <PersonLink id={p.identity_id}>
                  <bdi>{p.display_name}</bdi>
                </PersonLink>
              </td>
              <td>
                {sign} {sign === "+" ? text.appears : text.ends}
              </td>
              <td className="wide">
                <bdi>{v.policy}</bdi>
                <span className="small muted conflict-way">{v.sides.join(text.and)}</span>
              </td>
              <td>
                <Grade of={v.grade} />
              </td>
            </tr>
          )),
        )}
      </tbody>
    </Table>
  );
}
