import * as text from "#text/inbox";
import { Differences } from "../../kit/diff";
import { Bar } from "../../kit/elements";
import { Text } from "../../kit/kit";
import { Impact } from "../roles/impact";
import { at, rows, sentence, type Task, words } from "./tasks";

/** What is too much for a line: differences, who gains and loses, what is held. */
export default function TaskDifferences({ task }: { task: Task }) {
  const c = task.context;
  if (task.kind === "role_proposal")
    return (
      <>
        <Differences
          of={rows(c, "changes").map((d) => ({ field: words(d, "field") ?? "", from: d.before ?? d.removed, to: d.after ?? d.added }))}
        />
        {at(c, "impact") !== undefined && <Impact of={at(c, "impact") as never} />}
      </>
    );
  if (task.kind === "pack_conflict")
    return (
      <Differences of={((at(c, "fields") ?? []) as string[]).map((f) => ({ field: f, from: at(c, "ours", f), to: at(c, "theirs", f) }))} />
    );
  if (task.kind === "sync_hold") return rows(c, "groups").map((g) => <HeldValues key={`${g.guard} ${g.object} ${g.change}`} of={g} />);
  if (task.kind === "schema_diff") return <Fields context={c} />;
  return null;
}

function HeldValues({ of }: { of: Record<string, unknown> }) {
  const shares = rows(of, "departments").slice(0, 5);
  return (
    <div className="stack tight">
      <p className="small">
        {text.sentenceWordsOfWords2Held(
          <strong>{sentence(`${words(of, "change")} ${words(of, "object")}`)}</strong>,
          words(of, "held"),
          words(of, "count"),
        )}
      </p>
      {shares.length > 1 && (
        <Bar
          label={text.byDepartment}
          of={shares.map((s, i) => ({ words: words(s, "value") ?? text.noDepartment, value: Number(s.count), tone: ((i % 5) + 1) as 1 }))}
        />
      )}
      {shares.length > 1 && (
        <p className="small muted">{shares.map((s) => `${words(s, "value") ?? text.noDepartment} ${words(s, "count")}`).join(" · ")}</p>
      )}
      <ul className="small inbox-samples">
        {rows(of, "samples").map((s) => (
          <li key={words(s, "id") ?? words(s, "external_id")}>
            <Text of={words(s, "display") ?? words(s, "external_id") ?? words(s, "name")} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Fields({ context }: { context: unknown }) {
  const added = rows(context, "added").map((f) => ({ field: `${words(f, "object")} ${words(f, "path")}`, to: words(f, "type") }));
  const removed = rows(context, "removed").map((f) => ({
    field: `${words(f, "object")} ${words(f, "path")}`,
    from: words(f, "type") ?? text.aField,
  }));
  const typed = rows(context, "type_changed").map((f) => ({
    field: `${words(f, "object")} ${words(f, "path")}`,
    from: words(f, "from"),
    to: words(f, "to"),
  }));
  return <Differences of={[...added, ...removed, ...typed]} />;
}
