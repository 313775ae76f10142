import { useState } from "react";
import * as texts from "#text/inbox";
import { Check, TextField } from "../../kit/form";
import { Pick, type Picked, people } from "../../kit/pick";
import { CureChoice } from "../separation/cures";
import { type MitigationChoice, MitigationFields } from "../separation/mitigate";
import type { Conflict } from "../separation/words";
import { FieldDecisions, Merged } from "./choices";
import { type Action, at, rows, sentence, type Task, words } from "./tasks";

type Props = { task: Task; action: Action; value: Record<string, unknown>; set: (name: string, v: unknown) => void };

/** What an action takes beside a reason, by kind of task. What is required and not known here is asked for as JSON. */
export function InputsOf(p: Props) {
  const { task, action } = p;
  const required = action.requires.filter((r) => r.startsWith("inputs.")).map((r) => r.slice(7));
  if (required.includes("identity_id")) return <Owner {...p} />;
  if (task.kind === "sod_violation" && required.includes("remove")) return <Removal {...p} />;
  if (required.includes("mitigation_policy_id"))
    return <MitigationFields of={at(task.context, "conflict") as Conflict} value={p.value as MitigationChoice} set={p.set} />;
  if (task.kind === "mitigation_end" && action.key === "renew") return <Days {...p} />;
  if (task.kind === "lifecycle_exception" && required.includes("until"))
    return <Day {...p} name="until" label={texts.keepUntil} hint={texts.theAccessEndsOnThisDay} />;
  if (required.includes("until")) return <Day {...p} name="until" label={texts.exemptUntil} hint={texts.theTaskReturnsAfterThisDay} />;
  if (action.key === "keep") return <Day {...p} name="until" label={texts.askAgainOn} hint={texts.ifEmptyTheTaskReturnsOnly} />;
  if (task.kind === "native_grant" && action.key === "revoke")
    return <Day {...p} name="exclude_until" label={texts.blockUntil} hint={texts.requiredIfAPolicyWouldGrant} />;
  if (task.kind === "request_approval" && action.key === "approve") return <Bounds {...p} />;
  if (action.key === "release_part") return <PartOfHold {...p} />;
  if (required.includes("decisions")) return <FieldDecisions {...p} />;
  if (required.includes("merged")) return <Merged {...p} />;
  return required.map((name) => <Raw key={name} {...p} name={name} />);
}

/** Who it belongs to, or who decides: those whom the task proposes, or somebody else. */
function Owner({ task, action, value, set }: Props) {
  const [other, setOther] = useState<Picked | null>(null);
  const proposed = rows(task.context, "candidates");
  const chosen = value.identity_id;
  return (
    <>
      {proposed.length > 0 && (
        <fieldset className="checks">
          <legend>{texts.candidates}</legend>
          {proposed.map((c) => (
            <label className="check" key={words(c, "identity_id")}>
              <input
                type="radio"
                name="identity_id"
                checked={chosen === c.identity_id}
                onChange={() => {
                  setOther(null);
                  set("identity_id", c.identity_id);
                }}
              />
              <span>
                <bdi>{words(c, "display")}</bdi>
                <small className="muted">
                  {percent(c.score)} {Array.isArray(c.explanation) ? c.explanation.join("; ") : ""}
                </small>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <Pick
        label={action.key === "reassign" ? texts.approver : proposed.length > 0 ? texts.anotherPerson : texts.owner}
        source={people}
        value={other}
        set={(p) => {
          setOther(p);
          set("identity_id", p?.id);
        }}
      />
    </>
  );
}

const percent = (score: unknown) => (typeof score === "number" ? texts.scoreRound(Math.round(score * 100)) : "");

/** Which of the smallest ways out of a violation is taken. */
function Removal(p: Props) {
  const conflict = at(p.task.context, "conflict") as Conflict;
  return (
    <>
      <CureChoice of={conflict} value={(p.value.remove ?? []) as string[]} set={(ids) => p.set("remove", ids)} />
      <Day {...p} name="exclude_until" label={texts.blockUntil} hint={texts.requiredIfAPolicyWouldGrant} />
    </>
  );
}

/** For how many days a mitigation is renewed. */
function Days({ value, set }: Props) {
  return (
    <TextField
      type="number"
      label={texts.days}
      hint={texts.ifEmptyTheSameDuration}
      value={String(value.duration ?? "").replace(/\D/g, "")}
      set={(days) => set("duration", days ? `P${days}D` : undefined)}
    />
  );
}

/** A day, or nothing. */
function Day({ name, label, hint, value, set }: Props & { name: string; label: string; hint: string }) {
  return <TextField type="date" label={label} hint={hint} value={String(value[name] ?? "")} set={(v) => set(name, v)} />;
}

/** Approves for a shorter time than was asked for. */
function Bounds({ task, value, set }: Props) {
  const ends = words(task.context, "duration", "ends_at");
  return (
    <TextField
      type="date"
      label={texts.earlierEndDate}
      hint={ends ? texts.requestedUntilEnds(ends.slice(0, 10)) : texts.leaveEmptyForTheRequestedDuration}
      value={String(value.ends_at ?? "").slice(0, 10)}
      set={(v) => set("ends_at", v ? `${v}T23:59:59Z` : "")}
    />
  );
}

/** Which part of what is held is to be applied, and how many changes that is expected to be. */
function PartOfHold({ task, value, set }: Props) {
  const groups = rows(task.context, "groups").filter((g) => words(g, "guard"));
  const subset = (value.subset ?? {}) as { kinds?: string[]; departments?: string[] };
  const departments = [...new Set(groups.flatMap((g) => rows(g, "departments").flatMap((d) => words(d, "value") ?? [])))];
  const choose = (name: "kinds" | "departments", v: string, on: boolean) => {
    const list = (subset[name] ?? []).filter((x) => x !== v);
    const next = { ...subset, [name]: on ? [...list, v] : list };
    const told = Object.fromEntries(Object.entries(next).filter(([, l]) => l.length > 0)) as typeof subset;
    set("subset", Object.keys(told).length > 0 ? told : undefined);
    const expected = groups
      .filter((g) => !told.kinds || told.kinds.includes(words(g, "guard") ?? ""))
      .reduce((sum, g) => sum + (told.departments ? shareOf(g, told.departments) : Number(g.held ?? 0)), 0);
    set("expected_count", expected || undefined);
  };
  const kinds = [...new Set(groups.flatMap((g) => words(g, "guard") ?? []))];
  return (
    <>
      <fieldset className="checks">
        <legend>{texts.kindsOfChanges}</legend>
        {kinds.map((k) => (
          <Check key={k} label={sentence(k)} value={subset.kinds?.includes(k) ?? false} set={(on) => choose("kinds", k, on)} />
        ))}
      </fieldset>
      {departments.length > 0 && (
        <fieldset className="checks">
          <legend>{texts.departments}</legend>
          {departments.map((d) => (
            <Check
              key={d}
              label={<bdi>{d}</bdi>}
              value={subset.departments?.includes(d) ?? false}
              set={(on) => choose("departments", d, on)}
            />
          ))}
        </fieldset>
      )}
      <TextField
        type="number"
        label={texts.expectedNumberOfChanges}
        hint={texts.ifTheNumberHasChangedNo}
        value={String(value.expected_count ?? "")}
        set={(v) => set("expected_count", v ? Number(v) : undefined)}
        required
      />
    </>
  );
}

const shareOf = (group: Record<string, unknown>, departments: string[]) =>
  rows(group, "departments")
    .filter((d) => departments.includes(words(d, "value") ?? ""))
    .reduce((sum, d) => sum + Number(at(d, "count") ?? 0), 0);

/** A member that only the service knows, as JSON. */
function Raw({ name, value, set }: Props & { name: string }) {
  const [typed, setTyped] = useState(value[name] === undefined ? "" : JSON.stringify(value[name]));
  const [wrong, setWrong] = useState<string>();
  const read = (text: string) => {
    setTyped(text);
    try {
      set(name, text.trim() ? JSON.parse(text) : undefined);
      setWrong(undefined);
    } catch {
      set(name, text);
      setWrong(/^[[{"]/.test(text.trim()) ? texts.thisIsNotValidJson : undefined);
    }
  };
  return <TextField label={sentence(name)} mono rows={3} value={typed} set={read} error={wrong} required />;
}
