import { useState } from "react";
import * as texts from "#text/inbox";
import { SelectField, TextField } from "../../kit/form";
import { Note, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { at, rows, sentence, type Task, words } from "./tasks";

type Props = { task: Task; value: Record<string, unknown>; set: (name: string, v: unknown) => void };
type Decided = { object: string; path: string; decision: "accept" | "ignore" };

/** What becomes of each field of a source that has changed. What is left out is asked about again. */
export function FieldDecisions({ task, value, set }: Props) {
  const fields = [
    ...rows(task.context, "added").map((f) => ({ f, what: texts.newField(words(f, "type") ?? "") })),
    ...rows(task.context, "removed").map((f) => ({
      f,
      what: texts.removedMappingsUseIt(rows(f, "breaks").length),
    })),
    ...rows(task.context, "type_changed").map((f) => ({ f, what: texts.changedFromTo(words(f, "from"), words(f, "to")) })),
  ];
  const decided = (value.decisions ?? []) as Decided[];
  const same = (d: Decided, f: Record<string, unknown>) => d.object === f.object && d.path === f.path;
  const choose = (f: Record<string, unknown>, decision: string) => {
    const others = decided.filter((d) => !same(d, f));
    set("decisions", decision ? [...others, { object: f.object, path: f.path, decision }] : others);
  };
  return (
    <div className="stack tight">
      {fields.map(({ f, what }) => (
        <SelectField
          key={`${f.object} ${f.path}`}
          label={`${words(f, "object")}: ${words(f, "path")}`}
          hint={what}
          none={texts.askAgainLater}
          value={decided.find((d) => same(d, f))?.decision ?? ""}
          set={(v) => choose(f, v)}
          options={[
            ["accept", texts.accept],
            ["ignore", texts.ignore],
          ]}
        />
      ))}
      <Note>
        {texts.toMapAFieldYourselfOpen(
          <Link className="inbox-link" to="/connectors/$id/rediscover" params={{ id: task.subject.id }}>
            {texts.schemaChangesLower}
          </Link>,
        )}
      </Note>
    </div>
  );
}

/** What the fields are to be that a pack and the tenant want differently. */
export function Merged({ task, value, set }: Props) {
  const fields = (at(task.context, "fields") ?? []) as string[];
  const merged = (value.merged ?? {}) as Record<string, unknown>;
  const put = (name: string, v: unknown) => {
    const next = { ...merged, [name]: v };
    if (v === undefined) delete next[name];
    set("merged", fields.every((f) => f in next) ? next : Object.keys(next).length > 0 ? next : undefined);
  };
  return (
    <div className="stack">
      {fields.map((name) => (
        <MergedField
          key={name}
          name={name}
          ours={at(task.context, "ours", name)}
          theirs={at(task.context, "theirs", name)}
          put={(v) => put(name, v)}
        />
      ))}
    </div>
  );
}

function MergedField({ name, ours, theirs, put }: { name: string; ours: unknown; theirs: unknown; put: (v: unknown) => void }) {
  const [way, setWay] = useState<"ours" | "theirs" | "own">();
  const [typed, setTyped] = useState(typeof ours === "string" ? ours : (JSON.stringify(ours) ?? ""));
  const choose = (to: "ours" | "theirs" | "own") => {
    setWay(to);
    put(to === "ours" ? ours : to === "theirs" ? theirs : parsed(typed, ours));
  };
  const choices = [
    ["ours", texts.yourValue, text(ours)],
    ["theirs", texts.valueOfThePack, text(theirs)],
    ["own", texts.anotherValue, ""],
  ] as const;
  return (
    <fieldset className="checks">
      <legend>{sentence(name)}</legend>
      {choices.map(([key, label, shown]) => (
        <label className="check" key={key}>
          <input type="radio" name={`merge ${name}`} checked={way === key} onChange={() => choose(key)} />
          <span>
            {label} <small className="muted">{shown && <Text of={shown} />}</small>
          </span>
        </label>
      ))}
      {way === "own" && (
        <TextField
          label={texts.valueOfSentence(sentence(name).toLowerCase())}
          mono
          rows={3}
          value={typed}
          set={(t) => {
            setTyped(t);
            put(parsed(t, ours));
          }}
        />
      )}
    </fieldset>
  );
}

const text = (v: unknown) => (typeof v === "string" ? v : (JSON.stringify(v) ?? ""));

/** What was typed, as what it stands for: text where there was text, otherwise JSON where it is that. */
function parsed(typed: string, like: unknown): unknown {
  if (typeof like === "string") return typed;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}
