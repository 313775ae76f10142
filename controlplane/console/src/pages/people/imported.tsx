import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Of } from "../../api/types";
import { count, number } from "../../kit/count";
import { Bar } from "../../kit/elements";
import { SelectField } from "../../kit/form";
import { Part, Table, Text } from "../../kit/kit";
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
      title={of.mode === "preview" ? "Preview of the import" : "Result of the import"}
      lead={
        of.mode === "preview" ? "Nothing is saved yet." : of.failed > 0 ? "Correct the failed rows and import the file again." : undefined
      }
      actions={
        <SelectField
          label="Rows"
          value={only}
          set={setOnly}
          none="all"
          options={Object.entries(outcomes).map(([v, o]) => [v, o.words] as const)}
        />
      }
    >
      <Bar
        label="Rows"
        of={[
          { words: "new", value: of.created, tone: 4 },
          { words: "changed", value: of.updated, tone: 1 },
          { words: "unchanged", value: of.unchanged, tone: 3 },
          { words: "failed", value: of.failed, tone: 5 },
        ]}
      />
      <p role="status">
        {of.rows.toLocaleString("en")} rows: {of.created.toLocaleString("en")} new, {of.updated.toLocaleString("en")} changed,{" "}
        {of.unchanged.toLocaleString("en")} unchanged, {of.failed.toLocaleString("en")} failed.
      </p>
      <Table label="Rows">
        <thead>
          <tr>
            <th scope="col" className="num">
              Line
            </th>
            <th scope="col">Person</th>
            <th scope="col">Outcome</th>
            <th scope="col">Details</th>
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
                {r.ignored?.length ? <span className="faint"> Ignored columns: {r.ignored.join(", ")}.</span> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {rows.length > shown.length && !only && (
        <p className="muted small">
          First {number(shown.length)} of {count(rows.length, "row")}, failed rows first.
        </p>
      )}
    </Part>
  );
}
