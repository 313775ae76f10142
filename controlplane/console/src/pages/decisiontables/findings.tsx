import type { ReactNode } from "react";
import * as text from "#text/decisiontables";
import { number } from "../../kit/count";
import { Button, Facts, Note, Table, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import type { Check, HitPolicy } from "./draft";

type Props = {
  of: Check;
  hit: HitPolicy;
  /** Adds a row with these cells; without it nothing can be added. */
  add?: ((cells: string[]) => void) | undefined;
};

/** What a check has found of a table, beside the states of its rows. */
export function Findings({ of, hit, add }: Props) {
  const nothing =
    of.missing_count + of.contradiction_count + of.unknown_value_count + of.unknown_results.length === 0 &&
    of.rows.every((r) => r.state === "used");
  return (
    <div className="stack">
      <Facts
        of={[
          [text.peopleChecked, number(of.people)],
          [text.matchARow, number(of.matched)],
          [text.matchNoRow, number(of.unmatched)],
          [text.matchRowsThatDiffer, number(of.contradicted)],
        ]}
      />
      {nothing && <Note tone="ok">{text.nothingFound}</Note>}
      {of.missing.length > 0 && <Missing of={of} add={add} />}
      {of.contradictions.length > 0 && (
        <Group
          title={text.contradictions}
          lead={hit === "first" ? text.contradictionsFirst : text.contradictionsAll}
          head={[text.row, text.otherRow, text.people]}
          more={of.contradiction_count - of.contradictions.length}
        >
          {of.contradictions.map((c) => (
            <tr key={`${c.row} ${c.other_row}`}>
              <td>{c.row}</td>
              <td>{c.other_row}</td>
              <td>{number(c.people)}</td>
            </tr>
          ))}
        </Group>
      )}
      {of.unknown_values.length > 0 && (
        <Group
          title={text.unknownValues}
          head={[text.column, text.value, text.rows, text.similarValues]}
          more={of.unknown_value_count - of.unknown_values.length}
        >
          {of.unknown_values.map((v) => (
            <tr key={`${v.column} ${v.value}`}>
              <td>{v.column}</td>
              <td>
                <Text of={v.value} />
              </td>
              <td>{v.rows.join(", ")}</td>
              <td>
                <Text of={v.suggestions.join(", ")} none="–" />
              </td>
            </tr>
          ))}
        </Group>
      )}
      {of.unknown_results.length > 0 && (
        <Group title={text.unknownResults} head={[text.row, text.problem]} more={0}>
          {of.unknown_results.map((r) => (
            <tr key={`${r.row} ${r.id}`}>
              <td>{r.row}</td>
              <td>
                <Text of={r.detail} />
              </td>
            </tr>
          ))}
        </Group>
      )}
    </div>
  );
}

/** People whom no row matches, by their values, with the row that would match them. */
function Missing({ of, add }: { of: Check; add: Props["add"] }) {
  return (
    <Group
      title={text.missingRows}
      lead={text.missingRowsLead}
      head={[...of.columns, text.people, ...(add ? [text.actions] : [])]}
      more={of.missing_count - of.missing.length}
    >
      {of.missing.slice(0, 20).map((m) => (
        <tr key={m.cells.join("|")}>
          {of.columns.map((c, j) => (
            <td key={c}>
              <Text of={m.cells[j] ?? ""} />
            </td>
          ))}
          <td>{number(m.people)}</td>
          {add && (
            <td>
              <Button onClick={() => add(m.cells)} aria-label={text.addARowFor(m.cells.join(", "))}>
                {text.addThisRow}
              </Button>
            </td>
          )}
        </tr>
      ))}
    </Group>
  );
}

/** A list of findings. more are those that are not listed. */
function Group({ title, lead, head, more, children }: { title: string; lead?: string; head: string[]; more: number; children: ReactNode }) {
  return (
    <section className="stack tight">
      <h3>{title}</h3>
      {lead && <p className="muted small">{lead}</p>}
      <Table label={title}>
        <thead>
          <tr>
            {head.map((h) => (
              <th scope="col" key={h}>
                {h}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </Table>
      {more > 0 && <p className="muted small">{text.andMore(more)}</p>}
    </section>
  );
}

/** Where a table is edited. */
export const TableLink = ({ id, children }: { id: string; children: ReactNode }) => (
  <Link to="/decision-tables/$id" params={{ id }}>
    {children}
  </Link>
);
