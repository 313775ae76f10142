import * as text from "#text/requests";
import { Check, SelectField, TextField } from "../../kit/form";
import type { Detail, RequestParameter } from "./draft";
import { type Problem, placeOf } from "./preview";

type Value = string | number | boolean;
type Props = { of: Detail; set: (d: Detail) => void; problems: Problem[] };

/** What a role wants to be told. What the service misses is shown even where its list of parameters is not known. */
export function Parameters({ of, set, problems }: Props) {
  const missed = problems.flatMap((p) => /\/parameters\/([^/]+)$/.exec(placeOf(p))?.[1] ?? []);
  const known = of.wants ?? [];
  const all: RequestParameter[] = [
    ...known,
    ...missed.filter((n) => !known.some((w) => w.name === n)).map((name) => ({ name, type: "string" as const, required: true })),
  ];
  if (all.length === 0) return null;
  const give = (name: string, v: Value | undefined) => {
    const { [name]: _, ...rest } = of.parameters ?? {};
    set({ parameters: v === undefined || v === "" ? rest : { ...rest, [name]: v } });
  };
  const wrong = (name: string) => problems.find((p) => placeOf(p).endsWith(`/parameters/${name}`))?.detail;
  return (
    <div className="fields">
      {all.map((w) => (
        <Parameter key={w.name} of={w} value={of.parameters?.[w.name]} set={(v) => give(w.name, v)} error={wrong(w.name)} />
      ))}
    </div>
  );
}

type One = { of: RequestParameter; value: Value | undefined; set: (v: Value | undefined) => void; error: string | undefined };

function Parameter({ of, value, set, error }: One) {
  const label = of.name.replaceAll("_", " ") + (of.required ? "" : " (optional)");
  if (of.type === "boolean")
    return <Check reads label={of.name.replaceAll("_", " ")} value={value === true} set={(on) => set(on || undefined)} />;
  if (of.allowed_values?.length)
    return (
      <div>
        <SelectField
          label={label}
          value={typeof value === "string" ? value : ""}
          set={(v) => set(v)}
          none={text.choose}
          options={of.allowed_values.map((v) => [v, v] as const)}
          error={error}
        />
      </div>
    );
  const type = of.type === "integer" ? "number" : of.type === "date" ? "date" : "text";
  return (
    <TextField
      label={label}
      type={type}
      value={value === undefined ? "" : String(value)}
      set={(t) => set(t === "" ? undefined : of.type === "integer" ? Number(t) : t)}
      error={error}
    />
  );
}
