import { useState } from "react";
import * as text from "#text/people";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { Bar } from "../../kit/elements";
import { SelectField } from "../../kit/form";
import { Part, Table, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { first, outcomes } from "./importing";

const rowsShown = 200;

/** What became, or would become, of each row. */
export function Outcome({ of }: { of: Of<"Imported"> }) {
  const [only, setOnly] = useState("");
  const rows = of.results ?? [];
  const shown = first(rows, only, rowsShown);
  return (
    <Part
      title={of.mode === "preview" ? text.previewOfTheImport : text.resultOfTheImport}
      lead={of.mode === "preview" ? text.nothingIsSavedYet : of.failed > 0 ? text.correctTheFailedRowsAndImport : undefined}
      actions={
        <SelectField
          label={text.rows}
          value={only}
          set={setOnly}
          none={text.allLower}
          options={Object.entries(outcomes).map(([v, o]) => [v, o.words] as const)}
        />
      }
    >
      <Bar
        label={text.rows}
        of={[
          { words: text.newLabel, value: of.created, tone: 4 },
          { words: text.changedLower, value: of.updated, tone: 1 },
          { words: text.unchangedLower, value: of.unchanged, tone: 3 },
          { words: text.failed, value: of.failed, tone: 5 },
        ]}
      />
      <p role="status">
        {text.rowsRowsCreatedNewUpdatedChanged(
          of.rows.toLocaleString("en"),
          of.created.toLocaleString("en"),
          of.updated.toLocaleString("en"),
          of.unchanged.toLocaleString("en"),
          of.failed.toLocaleString("en"),
        )}
      </p>
      <Table label={text.rows}>
        <thead>
          <tr>
            <th scope="col" className="num">
              {text.line}
            </th>
            <th scope="col">{text.person}</th>
            <th scope="col">{text.outcome}</th>
            <th scope="col">{text.details}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((r) => (
            <tr key={r.line}>
              <td className="num">{r.line}</td>
              <td>
                {r.identity_id && (of.mode === "apply" || r.outcome !== "created") ? (
                  <Link to="/people/$id" params={{ id: r.identity_id }}>
                    <Text of={r.external_id} />
                  </Link>
                ) : (
                  <Text of={r.external_id} />
                )}
              </td>
              <td>
                <State of={r.outcome} tone={outcomes[r.outcome]?.tone ?? "neutral"} words={outcomes[r.outcome]?.words ?? r.outcome} />
              </td>
              <td className="wide">
                {r.errors?.map((e) => `${e.header ?? e.pointer?.replace("#/", "") ?? ""} ${e.detail}`.trim()).join("; ") ||
                  r.changed?.map((c) => c.replaceAll("_", " ")).join(", ")}
                {r.ignored?.length ? <span className="faint"> {text.ignoredColumnsIgnored(r.ignored.join(", "))}</span> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {rows.length > shown.length && !only && (
        <p className="muted small">{text.firstCountOfRowsFailedRows(number(shown.length), rows.length)}</p>
      )}
    </Part>
  );
}
