import { useState } from "react";
import type { Of } from "../../api/types";
import { Button, Table, Text } from "../../kit/kit";
import { State } from "../../kit/state";
import type { DiffRow } from "./diffrow";
import { Override } from "./override";
import { many } from "./words";

type Mapping = Of<"Mapping">;
export type Decision =
  | { decision: "accept" }
  | { decision: "ignore" }
  | { decision: "override"; mapping: { action?: "map" | "ignore"; target_field?: string; transform?: string } };
/** What was chosen so far, by field. */
export type Decisions = Record<string, Decision>;

export type { DiffRow };

export const keyOf = (f: { object: string; path: string }) => `${f.object} ${f.path}`;

/** A comparison as rows: what came, what went, and what has another type. */
export function rowsOf(d: Of<"SchemaDiff">): DiffRow[] {
  const decided = new Map(d.decisions.map((x) => [keyOf(x), x]));
  const row = (
    f: { object: string; path: string; samples: string[] },
    more: Omit<DiffRow, "key" | "object" | "path" | "samples" | "decided">,
  ): DiffRow => ({
    key: keyOf(f),
    object: f.object,
    path: f.path,
    samples: f.samples.slice(0, 3),
    decided: decided.get(keyOf(f)),
    ...more,
  });
  return [
    ...d.added.map((f) =>
      row(f, { sign: "+", before: "", now: f.type, proposal: f.proposal ? inWords(f.proposal) : "not mapped", loses: "" }),
    ),
    ...d.removed.map((f) =>
      row(f, {
        sign: "−",
        before: f.type,
        now: "",
        proposal: f.breaks.length > 0 ? "its mapping is removed" : "not mapped",
        loses: losses(f.breaks),
      }),
    ),
    ...d.type_changed.map((f) =>
      row(f, {
        sign: "~",
        before: f.from,
        now: f.to,
        proposal: f.mapping ? `keep: ${inWords(f.mapping)}` : "not mapped",
        loses: "",
      }),
    ),
  ];
}

const inWords = (m: Mapping) => (m.action === "ignore" ? "ignore" : `map to ${m.target_field}${m.transform ? ` with ${m.transform}` : ""}`);

function losses(breaks: Mapping[]): string {
  const fields = [...new Set(breaks.map((m) => m.target_field).filter(Boolean))];
  return fields.length > 0 ? `${many(fields.length, "field")} would no longer be mapped: ${fields.join(", ")}` : "";
}

type Props = { connector: string; rows: DiffRow[]; made: Decisions; set: ((key: string, d: Decision | undefined) => void) | undefined };

/** The comparison as a table, with a decision in each row. */
export function DiffTable({ connector, rows, made, set }: Props) {
  const [overriding, setOverriding] = useState<DiffRow>();
  return (
    <>
      <Table label="Schema changes">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">Change</span>
            </th>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
            <th scope="col">Proposal</th>
            <th scope="col">Decision</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.key}>
              <td className={`connectors-sign ${r.sign === "+" ? "add" : r.sign === "−" ? "gone" : "diff"}`}>
                <span aria-hidden>{r.sign}</span>
                <span className="sr">{r.sign === "+" ? "new" : r.sign === "−" ? "removed" : "changed type"}</span>
              </td>
              <td>
                <code className={r.sign === "−" ? "connectors-before" : ""}>
                  <Text of={r.path} />
                </code>{" "}
                <span className="small faint">{r.object}</span>
              </td>
              <td>{r.before ? <code>{r.before}</code> : "—"}</td>
              <td className="connectors-tall">
                {r.now ? <code>{r.now}</code> : "—"}{" "}
                {r.sign !== "−" && (
                  <span className="small muted">
                    <Text of={r.samples.join(", ")} />
                  </span>
                )}
              </td>
              <td className="connectors-tall">
                {r.proposal}
                {r.loses && <small className="bad"> {r.loses}</small>}
              </td>
              <td>
                <OneDecision of={r} made={made[r.key]} set={set && ((d) => set(r.key, d))} override={() => setOverriding(r)} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {overriding && set && (
        <Override
          connector={connector}
          of={overriding}
          close={() => setOverriding(undefined)}
          done={(mapping) => set(overriding.key, { decision: "override", mapping })}
        />
      )}
    </>
  );
}

type OneProps = { of: DiffRow; made: Decision | undefined; set: ((d: Decision | undefined) => void) | undefined; override: () => void };

function OneDecision({ of: r, made, set, override }: OneProps) {
  if (r.decided) return <State of={r.decided.decision} tone="ok" words={`${r.decided.decision}, by ${r.decided.by}`} />;
  if (!set) return <span className="faint">open</span>;
  if (made)
    return (
      <span className="row">
        <State of={made.decision} tone={made.decision === "ignore" ? "neutral" : "ok"} words={words(made)} />
        <Button tone="quiet" onClick={() => set(undefined)} aria-label={`Undo the decision about ${r.path}`}>
          Undo
        </Button>
      </span>
    );
  return (
    <span className="row">
      <Button onClick={() => set({ decision: "accept" })} aria-label={`Accept ${r.path}`}>
        Accept
      </Button>
      {r.sign !== "−" && (
        <Button tone="quiet" onClick={override} aria-label={`Override ${r.path}`}>
          Override…
        </Button>
      )}
      <Button tone="quiet" onClick={() => set({ decision: "ignore" })} aria-label={`Ignore ${r.path}`}>
        Ignore
      </Button>
    </span>
  );
}

function words(d: Decision): string {
  if (d.decision === "accept") return "accepted";
  if (d.decision === "ignore") return "ignored";
  return d.mapping.action === "ignore" ? "ignored" : `mapped to ${d.mapping.target_field}`;
}
