import { useState } from "react";
import * as text from "#text/separationimport";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { SelectField } from "../../kit/form";
import { Part, Table, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { fieldWords, firstItems, formatWords, type Item, type Plan } from "./importing";

type Counts = Of<"SeparationImportCounts">;
type Problem = Of<"ImportProblem">;

const rowsShown = 200;
const actions = ["created", "updated", "unchanged", "refused"] as const;
const tones = { created: "ok", updated: "info", unchanged: "neutral", refused: "bad" } as const;
const sum = (c: Counts) => actions.reduce((n, a) => n + c[a], 0);

/** What an import would do, or has done: what is wrong first, then the counts and each duty and policy. */
export function PlanOfImport({ of }: { of: Plan }) {
  return (
    <>
      {of.problem_count > 0 && (
        <ProblemTable
          title={text.problems(of.problem_count)}
          lead={text.problemsLead}
          head={text.problem}
          of={of.problems}
          all={of.problem_count}
        />
      )}
      <Part title={of.dry_run ? text.planOfTheImport : text.resultOfTheImport} lead={of.dry_run ? text.nothingIsSavedYet : undefined}>
        <p role="status">
          {text.summary(sum(of.duties), sum(of.policies), of.files.length, of.format ? formatWords(of.format) : text.unknownFormat)}
        </p>
        <CountTable of={of} />
      </Part>
      {of.items.length > 0 && <Items of={of.items} />}
      {of.note_count > 0 && (
        <ProblemTable title={text.notes(of.note_count)} lead={text.notesLead} head={text.note} of={of.notes} all={of.note_count} />
      )}
    </>
  );
}

function CountTable({ of }: { of: Plan }) {
  return (
    <Table label={text.counts}>
      <thead>
        <tr>
          <th scope="col">{text.kind}</th>
          {[text.newColumn, text.changed, text.unchanged, text.refused].map((words) => (
            <th key={words} scope="col" className="num">
              {words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(
          [
            [text.duties, of.duties],
            [text.policies, of.policies],
          ] as const
        ).map(([words, counts]) => (
          <tr key={words}>
            <td>{words}</td>
            {actions.map((a) => (
              <td key={a} className="num">
                {number(counts[a])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Items({ of }: { of: Item[] }) {
  const [only, setOnly] = useState("");
  const shown = firstItems(of, only, rowsShown);
  const all = only ? of.filter((i) => i.action === only).length : of.length;
  return (
    <Part
      title={text.contents}
      actions={
        <SelectField
          label={text.result}
          value={only}
          set={setOnly}
          none={text.allLower}
          options={actions.map((a) => [a, text.results[a] ?? a])}
        />
      }
    >
      {shown.length === 0 ? (
        <p className="muted">{text.noneWithThisResult}</p>
      ) : (
        <Table label={text.contents}>
          <thead>
            <tr>
              {[text.name, text.kind, text.result, text.changes, text.place].map((words) => (
                <th key={words} scope="col">
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((i, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a refused object may be there twice
              <tr key={`${i.kind} ${i.name} ${n}`}>
                <td>
                  <Named of={i} />
                </td>
                <td>{text.kinds[i.kind] ?? i.kind}</td>
                <td>
                  <State of={i.action} tone={tones[i.action]} words={text.results[i.action] ?? i.action} />
                </td>
                <td className="wide">
                  {i.changes.map(fieldWords).join(", ")}
                  {i.unresolved_count > 0 && <div className="faint small">{text.membersNotReadYet(i.unresolved_count)}</div>}
                </td>
                <td>
                  <Text of={text.placeOf(i.file, i.line)} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {all > shown.length && <p className="muted small">{text.firstOfAll(shown.length, all)}</p>}
    </Part>
  );
}

function Named({ of: i }: { of: Item }) {
  if (!i.id) return <Text of={i.name} />;
  return (
    <Link to={i.kind === "duty" ? "/separation-of-duties/duties/$id" : "/separation-of-duties/$id"} params={{ id: i.id }}>
      <Text of={i.name} />
    </Link>
  );
}

type ProblemProps = { title: string; lead: string; head: string; of: Problem[]; all: number };

function ProblemTable({ title, lead, head, of, all }: ProblemProps) {
  const shown = of.slice(0, rowsShown);
  return (
    <Part title={title} lead={lead}>
      <Table label={title}>
        <thead>
          <tr>
            <th scope="col">{text.file}</th>
            <th scope="col" className="num">
              {text.line}
            </th>
            <th scope="col">{text.field}</th>
            <th scope="col">{head}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((p, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: problems may be alike
            <tr key={n}>
              <td>
                <Text of={p.file} />
              </td>
              <td className="num">{p.line > 0 ? p.line : ""}</td>
              <td>{p.field && <code>{p.field}</code>}</td>
              <td className="wide">
                <bdi>{p.detail}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {all > shown.length && <p className="muted small">{text.firstListed(shown.length)}</p>}
    </Part>
  );
}
