import { useState } from "react";
import { Check, Field, SecretField, SelectField, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { manyLines, type Setting } from "./settings";

type Props = {
  of: Setting;
  text: string;
  set: (v: string | boolean) => void;
  /** When a secret was set that is set already. */
  kept: string | undefined;
  error: string | undefined;
};

/** One setting of a connection, in the shape that its type asks for. */
export function SettingField({ of: f, text, set, kept, error }: Props) {
  const shared = { label: f.label, hint: f.help, error, required: f.required };
  if (f.secret && manyLines(f))
    return (
      <SecretLines
        key={`${kept} ${error}`}
        label={f.label}
        hint={f.help}
        error={error}
        kept={Boolean(kept && !error)}
        value={text}
        set={set}
        json={f.type === "object"}
      />
    );
  // One that was replaced, or has to be given again, is asked for anew: the key makes the field again.
  if (f.secret)
    return (
      <SecretField
        key={`${kept} ${error}`}
        {...shared}
        hint={f.help || "Kept encrypted; never shown again."}
        kept={Boolean(kept && !error)}
        value={text}
        set={set}
      />
    );
  if (f.type === "boolean")
    return <Check label={f.label} hint={f.help} value={text === "" ? f.default === true : text === "true"} set={set} />;
  if (f.type === "enum") {
    const none = f.default === undefined || f.default === null ? "Left out" : `Left out: ${String(f.default)}`;
    return (
      <SelectField
        {...shared}
        value={text}
        set={set}
        none={none}
        options={(f.enum ?? []).map((v) => [v, v.replaceAll("_", " ")] as const)}
      />
    );
  }
  const placeholder = f.default === undefined || f.default === null ? undefined : String(f.default);
  return (
    <TextField
      {...shared}
      value={text}
      set={set}
      mono={f.type !== "integer"}
      max={100_000}
      {...(placeholder ? { placeholder } : {})}
      {...(f.type === "integer" ? { type: "number" as const } : {})}
      {...(manyLines(f) ? { rows: f.type === "object_list" ? 10 : 3 } : {})}
    />
  );
}

/** A secret of several lines, such as a key in PEM form: a line of a password would lose its breaks. */
function SecretLines({
  label,
  hint,
  error,
  kept,
  value,
  set,
  json,
}: {
  label: string;
  hint: string | undefined;
  error: string | undefined;
  kept: boolean;
  value: string;
  set: (v: string) => void;
  json: boolean;
}) {
  const [replacing, setReplacing] = useState(false);
  if (kept && !replacing)
    return (
      <div className="field">
        <span className="field-label">{label}</span>
        <div className="row">
          <span className="muted">is set</span>
          <Button onClick={() => setReplacing(true)}>Replace</Button>
        </div>
      </div>
    );
  return (
    <Field
      label={label}
      hint={hint ?? (json ? "An object in { }. Kept encrypted; never shown again." : "Kept encrypted; never shown again.")}
      error={error}
    >
      {(id, described) => (
        <textarea
          id={id}
          rows={4}
          className="mono"
          spellCheck={false}
          autoComplete="off"
          value={value}
          aria-describedby={described}
          onChange={(e) => set(e.target.value)}
        />
      )}
    </Field>
  );
}
