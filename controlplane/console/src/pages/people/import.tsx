import { useRef, useState } from "react";
import * as text from "#text/people";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { contentOf, FileField } from "../../kit/filefield";
import { SelectField, TextField } from "../../kit/form";
import { Button, Head, Note, Problems } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Outcome } from "./imported";
import { formatOf } from "./importing";
import "./people.css";

type Imported = Of<"Imported">;
/** What is imported, and which choice it was: another file is another intention, even when it is sent in the same way. */
type Lines = { text: Blob; name: string; format: "csv" | "ndjson"; turn: number };
type Sending = { mode: "preview" | "apply"; turn: number };

const largest = 32 * 1024 * 1024;

/** Imports people: first what would become of every row, then it is done. */
export default function ImportPeople() {
  const [lines, setLines] = useState<Lines>();
  const [pasted, setPasted] = useState("");
  const take = useAct<Sending, Imported>({
    quiet: true,
    act: async ({ mode }, key) =>
      ask("POST", "/identities/import", {
        query: { mode },
        body: lines && (await contentOf(lines.text)),
        key,
        headers: { "Content-Type": lines?.format === "csv" ? "text/csv" : "application/x-ndjson" },
      }),
    changes: ["/identities"],
  });
  const turn = useRef(0);
  const choose = (l: Omit<Lines, "turn"> | undefined) => {
    turn.current += 1;
    setLines(l && { ...l, turn: turn.current });
    take.reset();
  };
  const file = async (f: File) => choose({ text: f, name: f.name, format: formatOf(f.name, await f.slice(0, 64).text()) });
  const send = (mode: Sending["mode"]) => lines && take.mutate({ mode, turn: lines.turn });
  const doing = take.isPending ? take.variables.mode : undefined;
  const looked = take.data;
  return (
    <>
      <Head title={text.importPeople} lead={text.importCsvOrJsonLinesAt} up={<Link to="/people">{text.people}</Link>} />
      <section className="card padded stack" aria-label={text.file}>
        <div className="fields">
          <FileField
            label={text.file}
            hint={text.columnsAreFieldsOfAPerson}
            accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
            take={(f) => void file(f)}
          />
          {lines && (
            <SelectField
              label={text.format}
              hint={text.ofName(lines.name)}
              value={lines.format}
              set={(format) => choose({ ...lines, format })}
              options={[
                ["csv", text.csv],
                ["ndjson", text.jsonLines],
              ]}
            />
          )}
        </div>
        <details>
          <summary data-reads="">{text.pasteLinesInstead}</summary>
          <TextField
            label={text.lines}
            mono
            rows={6}
            value={pasted}
            set={(v) => {
              setPasted(v);
              choose(v.trim() ? { text: new Blob([v]), name: text.pastedLines, format: formatOf("", v) } : undefined);
            }}
          />
        </details>
        {lines && lines.text.size > largest && <Note tone="bad">{text.theFileIsTooLarge}</Note>}
        <Problems of={take.error} />
        <div className="row">
          <Button
            tone={looked ? "plain" : "primary"}
            disabled={!lines || lines.text.size > largest || take.isPending}
            onClick={() => send("preview")}
          >
            {doing === "preview" ? text.checkingRows : text.previewImport}
          </Button>
          {looked?.mode === "preview" && looked.created + looked.updated > 0 && (
            <Button tone="primary" onClick={() => send("apply")}>
              {text.importPeopleText(people(looked.created + looked.updated))}
            </Button>
          )}
        </div>
        {doing === "apply" && (
          <p className="muted small" role="status">
            {text.importing2000RowsAtA}
          </p>
        )}
      </section>
      {looked && <Outcome of={looked} />}
    </>
  );
}

const people = (n: number) => text.peopleLower(n);
