import * as text from "#text/packs";
import { DurationField } from "../../kit/durationfield";
import { Check, SelectField, TextField, WordsField } from "../../kit/form";
import type { Parameter, Values } from "./values";

type Props = { of: Parameter[]; value: Values; set: (v: Values) => void; wrong: (pointer: string) => string | undefined };

/** What a pack asks for, each in the shape of its type. */
export function Parameters({ of, value, set, wrong }: Props) {
  if (of.length === 0) return <p className="muted">{text.thisPackHasNoParameters}</p>;
  return (
    <>
      {of.map((p) => (
        <One key={p.key} of={p} value={value[p.key]} set={(v) => set({ ...value, [p.key]: v })} error={wrong(`parameters/${p.key}`)} />
      ))}
    </>
  );
}

function One({ of: p, value, set, error }: { of: Parameter; value: unknown; set: (v: unknown) => void; error: string | undefined }) {
  const shared = { label: p.prompt, hint: p.key, required: p.required, error };
  if (p.type === "boolean") return <Check label={p.prompt} hint={p.key} value={value === true} set={set} />;
  if (p.type === "string[]")
    return <WordsField {...shared} hint={text.pOnePerLine(p.key)} value={Array.isArray(value) ? (value as string[]) : []} set={set} />;
  if (p.type === "duration")
    return value === "P0D" || value === undefined || value === "" ? (
      <DurationField {...shared} value="" none={text.immediately} set={(v) => set(v || "P0D")} />
    ) : (
      <DurationField {...shared} value={String(value)} set={(v) => set(v || "P0D")} />
    );
  if (p.values)
    return (
      <SelectField {...shared} value={String(value ?? "")} set={(v: string) => set(v)} options={p.values.map((v) => [v, v] as const)} />
    );
  if (p.type === "integer") {
    const bounds = [p.minimum !== null && text.atLeastMinimum(p.minimum), p.maximum !== null && text.atMostMaximum(p.maximum)]
      .filter(Boolean)
      .join(", ");
    return (
      <TextField
        {...shared}
        hint={[p.key, bounds].filter(Boolean).join(": ")}
        type="number"
        value={value === undefined || value === null ? "" : String(value)}
        set={(v) => set(v === "" ? undefined : Number(v))}
      />
    );
  }
  return <TextField {...shared} value={String(value ?? "")} set={set} />;
}
