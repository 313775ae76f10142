import { useState } from "react";
import * as text from "#text/mappings";
import type { Of } from "../../api/types";
import { Button, Table, Text } from "../../kit/kit";
import { State } from "../../kit/state";
import type { DiffRow } from "./diffrow";
import { Override } from "./override";

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
      row(f, { sign: "+", before: "", now: f.type, proposal: f.proposal ? inWords(f.proposal) : text.notMapped, loses: "" }),
    ),
    ...d.removed.map((f) =>
      row(f, {
        sign: "−",
        before: f.type,
        now: "",
        proposal: f.breaks.length > 0 ? text.itsMappingIsRemoved : text.notMapped,
        loses: losses(f.breaks),
      }),
    ),
    ...d.type_changed.map((f) =>
      row(f, {
        sign: "~",
        before: f.from,
        now: f.to,
        proposal: f.mapping ? text.keepMapping(inWords(f.mapping)) : text.notMapped,
        loses: "",
      }),
    ),
  ];
}

const inWords = (m: Mapping) =>
  m.action === "ignore"
    ? "ignore"
    : m.transform
      ? text.mapToTargetFieldWithTransform(m.target_field, m.transform)
      : text.mapToTargetField(m.target_field);

function losses(breaks: Mapping[]): string {
  const fields = [...new Set(breaks.map((m) => m.target_field).filter(Boolean))];
  return fields.length > 0 ? text.fieldsWouldNoLongerBeMapped(fields.length, fields.join(", ")) : "";
}

type Props = { connector: string; rows: DiffRow[]; made: Decisions; set: ((key: string, d: Decision | undefined) => void) | undefined };

/** The comparison as a table, with a decision in each row. */
export function DiffTable({ connector, rows, made, set }: Props) {
  const [overriding, setOverriding] = useState<DiffRow>();
  return (
    <>
      <Table label={text.schemaChanges}>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">{text.change}</span>
            </th>
            <th scope="col">{text.field}</th>
            <th scope="col">{text.before}</th>
            <th scope="col">{text.now}</th>
            <th scope="col">{text.proposal}</th>
            <th scope="col">{text.decision}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => (
            <tr key={r.key}>
              <td className={`connectors-sign ${r.sign === "+" ? "add" : r.sign === "−" ? "gone" : "diff"}`}>
                <span aria-hidden>{r.sign}</span>
                <span className="sr">{r.sign === "+" ? text.newLabelLower : r.sign === "−" ? text.removedLower : text.changedType}</span>
              </td>
              <td>
                <code className={r.sign === "−" ? "connectors-removed-mapping" : ""}>
                  <Text of={r.path} />
                </code>{" "}
                <span className="small faint">{r.object}</span>
              </td>
              <td>{r.before ? <code>{r.before}</code> : "—"}</td>
              <td className="connectors-cell">
                {r.now ? <code>{r.now}</code> : "—"}{" "}
                {r.sign !== "−" && (
                  <span className="small muted">
                    <Text of={r.samples.join(", ")} />
                  </span>
                )}
              </td>
              <td className="connectors-cell">
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
  if (r.decided) return <State of={r.decided.decision} tone="ok" words={text.decisionByBy(r.decided.decision, r.decided.by)} />;
  if (!set) return <span className="faint">{text.open}</span>;
  if (made)
    return (
      <span className="row">
        <State of={made.decision} tone={made.decision === "ignore" ? "neutral" : "ok"} words={words(made)} />
        <Button tone="quiet" onClick={() => set(undefined)} aria-label={text.undoTheDecisionAboutPath(r.path)}>
          {text.undo}
        </Button>
      </span>
    );
  return (
    <span className="row">
      <Button onClick={() => set({ decision: "accept" })} aria-label={text.acceptPath(r.path)}>
        {text.accept}
      </Button>
      {r.sign !== "−" && (
        <Button tone="quiet" onClick={override} aria-label={text.overridePath(r.path)}>
          {text.override}
        </Button>
      )}
      <Button tone="quiet" onClick={() => set({ decision: "ignore" })} aria-label={text.ignorePath(r.path)}>
        {text.ignore}
      </Button>
    </span>
  );
}

function words(d: Decision): string {
  if (d.decision === "accept") return "accepted";
  if (d.decision === "ignore") return "ignored";
  return d.mapping.action === "ignore" ? "ignored" : text.mappedToTargetField(d.mapping.target_field);
}
