import { useEffect, useRef, useState } from "react";
import * as texts from "#text/wizard";
import { Check, Field, KeptSecret, SecretField, SelectField, TextField } from "../../kit/form";
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
  if (f.secret) return <Secret label={f.label} text={text} set={set} kept={kept} error={error} of={f} />;
  if (f.type === "boolean")
    return <Check label={f.label} hint={f.help} value={text === "" ? f.default === true : text === "true"} set={set} />;
  if (f.type === "enum") {
    const none = f.default === undefined || f.default === null ? texts.automatic : texts.automaticDefaultValue(String(f.default));
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

/**
 * A secret: what is kept is never shown, only that there is one. It is typed again to replace it, or because the service asks for it.
 *
 * A field that is open stays the same one whatever is answered meanwhile: made anew it would lose the focus, and the next letters would be
 * keys of the page.
 */
function Secret({ of: f, label, text, set, kept, error }: Props & { label: string }) {
  const [replacing, setReplacing] = useState(false);
  const [was, setWas] = useState(kept);
  const box = useRef<HTMLDivElement>(null);
  const asked = useRef(false);
  if (was !== kept) {
    setWas(kept);
    setReplacing(false);
  } else if (error && !replacing) setReplacing(true);
  useEffect(() => {
    if (replacing && asked.current) box.current?.querySelector<HTMLElement>("input,textarea")?.focus();
    asked.current = false;
  }, [replacing]);
  if (kept && !replacing)
    return (
      <KeptSecret
        label={label}
        replace={() => {
          asked.current = true;
          setReplacing(true);
        }}
      />
    );
  return (
    <div ref={box}>
      {manyLines(f) ? (
        <SecretLines of={f} value={text} set={set} error={error} />
      ) : (
        <SecretField
          label={label}
          required={f.required}
          error={error}
          hint={f.help || texts.storedEncryptedAndNotShownAgain}
          kept={false}
          value={text}
          set={set}
        />
      )}
    </div>
  );
}

/** A secret of several lines, such as a key in PEM form: a line of a password would lose its breaks. */
function SecretLines({ of: f, value, set, error }: { of: Setting; value: string; set: (v: string) => void; error: string | undefined }) {
  const hint = f.type === "object" ? texts.aJsonObjectStoredEncryptedAnd : texts.storedEncryptedAndNotShownAgain;
  return (
    <Field label={f.label} hint={f.help ?? hint} error={error}>
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
