import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Field, SelectField, TextField } from "../../kit/form";
import { Bar } from "../../kit/bits";
import { Button, Head, Note, Part, Table, Text, Wrongs } from "../../kit/kit";
import { State } from "../../kit/state";
import { first, formatOf, outcomes } from "./importing";
import "./people.css";

type Imported = Of<"Imported">;
type Lines = { text: Blob; name: string; format: "csv" | "ndjson" };

const largest = 32 * 1024 * 1024;
const rowsShown = 200;

/** Imports people: first what would become of every row, then it is done. */
export default function ImportPeople() {
  const [lines, setLines] = useState<Lines>();
  const [pasted, setPasted] = useState("");
  const take = useAct<"preview" | "apply", Imported>({
    quiet: true,
    act: (mode, key) =>
      ask("POST", "/identities/import", {
        query: { mode },
        body: lines?.text,
        key,
        headers: { "Content-Type": lines?.format === "csv" ? "text/csv" : "application/x-ndjson" },
      }),
    changes: ["/identities"],
  });
  const choose = (l: Lines | undefined) => {
    setLines(l);
    take.reset();
  };
  const looked = take.data;
  return (
    <>
      <Head
        title="Import people"
        lead="From CSV or JSON lines: at most 50,000 rows and 32 MiB. You see what would become of each row before anything is written."
        up={<Link to="/people">People</Link>}
      />
      <section className="card padded stack" aria-label="The file">
        <div className="fields">
          <Field
            label="File"
            hint="Columns are the fields of a person; attributes.x and labels.x are columns too. external_id tells who is meant."
          >
            {(id, described) => (
              <input
                id={id}
                type="file"
                accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
                aria-describedby={described}
                className="people-file"
                onChange={(e) => {
                  const f = e.target.files?.[0];
                  if (f)
                    void f
                      .slice(0, 64)
                      .text()
                      .then((begins) => choose({ text: f, name: f.name, format: formatOf(f.name, begins) }));
                }}
              />
            )}
          </Field>
          {lines && (
            <SelectField
              label="It is"
              value={lines.format}
              set={(format) => choose({ ...lines, format })}
              options={[
                ["csv", "CSV"],
                ["ndjson", "JSON lines"],
              ]}
            />
          )}
        </div>
        <details>
          <summary data-reads="">Paste lines instead</summary>
          <TextField
            label="Lines"
            mono
            rows={6}
            value={pasted}
            set={(v) => {
              setPasted(v);
              choose(v.trim() ? { text: new Blob([v]), name: "what was pasted", format: formatOf("", v) } : undefined);
            }}
          />
        </details>
        {lines && lines.text.size > largest && <Note tone="bad">This is larger than 32 MiB. Send it in parts.</Note>}
        <Wrongs of={take.error} />
        <div className="row">
          <Button
            tone={looked ? "plain" : "primary"}
            disabled={!lines || lines.text.size > largest || take.isPending}
            onClick={() => take.mutate("preview")}
          >
            {take.isPending && take.variables === "preview" ? "Looking at every row…" : "See what it would do"}
          </Button>
          {looked?.mode === "preview" && looked.created + looked.updated > 0 && (
            <Button tone="primary" disabled={take.isPending} onClick={() => take.mutate("apply")}>
              {take.isPending ? "Importing…" : `Import ${(looked.created + looked.updated).toLocaleString("en")} people`}
            </Button>
          )}
        </div>
        {take.isPending && take.variables === "apply" && (
          <p className="muted small" role="status">
            Two thousand rows become true at a time. If it breaks off, send the same file again: what is so already is not written twice.
          </p>
        )}
      </section>
      {looked && <Outcome of={looked} />}
    </>
  );
}

function Outcome({ of }: { of: Imported }) {
  const [only, setOnly] = useState("");
  const rows = of.results ?? [];
  const shown = first(rows, only, rowsShown);
  return (
    <Part
      title={of.mode === "preview" ? "What it would do" : "What was done"}
      lead={
        of.mode === "preview"
          ? "Nothing is written yet."
          : of.failed > 0
            ? "Mend the rows that could not be, and send the file again."
            : undefined
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
          { words: "as before", value: of.unchanged, tone: 3 },
          { words: "cannot be", value: of.failed, tone: 5 },
        ]}
      />
      <p role="status">
        {of.rows.toLocaleString("en")} rows: {of.created.toLocaleString("en")} new, {of.updated.toLocaleString("en")} changed,{" "}
        {of.unchanged.toLocaleString("en")} as before, {of.failed.toLocaleString("en")} that cannot be.
      </p>
      <Table label="Rows">
        <thead>
          <tr>
            <th scope="col" className="num">
              Line
            </th>
            <th scope="col">Who</th>
            <th scope="col">Outcome</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((r) => (
            <tr key={r.line}>
              <td className="num">{r.line}</td>
              <td>
                {r.identity_id ? (
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
                {r.ignored?.length ? <span className="faint"> Nobody knows {r.ignored.join(", ")}.</span> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {rows.length > shown.length && !only && (
        <p className="muted small">
          The first {shown.length} of {rows.length.toLocaleString("en")}, those that cannot be before all others.
        </p>
      )}
    </Part>
  );
}
