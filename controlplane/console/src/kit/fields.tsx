import { type ReactNode, useId, useState } from "react";

/** What the service says is wrong with a field. */
export function FieldError({ of, id }: { of: string | undefined; id?: string }) {
  return of ? (
    <small id={id} className="bad" role="alert" data-wrong="">
      {of}
    </small>
  ) : null;
}

/** What every field is given. */
export type Common = { label: string; hint?: ReactNode; error?: string | undefined; required?: boolean; disabled?: boolean };

/** A label, what is filled in, a hint, and what is wrong. */
export function Field({ label, hint, error, children }: Common & { children: (id: string, described: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        <span>{label}</span>
      </label>
      {children(id, error ? `${id}-hint ${id}-wrong` : `${id}-hint`)}
      <small id={`${id}-hint`} className="muted">
        {hint}
      </small>
      <FieldError of={error} id={`${id}-wrong`} />
    </div>
  );
}

type TextProps = Common & {
  value: string;
  set: (v: string) => void;
  type?: "text" | "email" | "url" | "date" | "time" | "datetime-local" | "number";
  placeholder?: string;
  mono?: boolean;
  rows?: number;
  max?: number;
  suggestions?: string[];
  autoFocus?: boolean;
};

// A year has four digits: without an end browsers take six, which is no day that anybody means, and none that can be read.
const latest: Record<string, string> = { date: "9999-12-31", "datetime-local": "9999-12-31T23:59" };

/** A line of text, or with rows several. */
export function TextField({ value, set, type = "text", rows, mono, max, placeholder, suggestions, autoFocus, ...common }: TextProps) {
  return (
    <Field {...common}>
      {(id, described) => {
        const shared = {
          id,
          value,
          "aria-describedby": described,
          "aria-invalid": common.error ? (true as const) : undefined,
          required: common.required,
          disabled: common.disabled,
          placeholder,
          maxLength: max,
          className: mono ? "mono" : undefined,
          spellCheck: mono ? false : undefined,
          dir: "auto" as const,
          autoFocus,
        };
        if (rows) return <textarea {...shared} rows={rows} onChange={(e) => set(e.target.value)} />;
        return (
          <>
            <input
              {...shared}
              type={type}
              max={latest[type]}
              list={suggestions ? `${id}-list` : undefined}
              onChange={(e) => set(e.target.value)}
            />
            {suggestions && (
              <datalist id={`${id}-list`}>
                {suggestions.map((s) => (
                  <option key={s} value={s} />
                ))}
              </datalist>
            )}
          </>
        );
      }}
    </Field>
  );
}

/** One of a few. options: what is sent, and how it is called. */
export function SelectField<V extends string>({
  value,
  set,
  options,
  none,
  ...common
}: Common & { value: V | ""; set: (v: V) => void; options: readonly (readonly [V, string])[]; none?: string }) {
  return (
    <Field {...common}>
      {(id, described) => (
        <select
          id={id}
          value={value}
          aria-describedby={described}
          aria-invalid={common.error ? true : undefined}
          required={common.required}
          disabled={common.disabled}
          onChange={(e) => set(e.target.value as V)}
        >
          {none !== undefined && <option value="">{none}</option>}
          {options.map(([v, words]) => (
            <option key={v} value={v}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Yes or no. reads: it changes only what is shown. */
export function Check({
  label,
  value,
  set,
  hint,
  disabled,
  reads,
}: {
  label: ReactNode;
  value: boolean;
  set: (v: boolean) => void;
  hint?: ReactNode;
  disabled?: boolean;
  reads?: boolean;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={value}
        disabled={disabled}
        data-reads={reads ? "" : undefined}
        onChange={(e) => set(e.target.checked)}
      />
      <span>
        {label}
        {hint && <small className="muted">{hint}</small>}
      </span>
    </label>
  );
}

/** Several of a few. */
export function Checks<V extends string>({
  label,
  value,
  set,
  options,
}: {
  label: string;
  value: V[];
  set: (v: V[]) => void;
  options: readonly (readonly [V, string])[];
}) {
  return (
    <fieldset className="checks">
      <legend>{label}</legend>
      {options.map(([v, words]) => (
        <Check key={v} label={words} value={value.includes(v)} set={(on) => set(on ? [...value, v] : value.filter((x) => x !== v))} />
      ))}
    </fieldset>
  );
}

/** Several words, one in a line. */
export function WordsField({
  value,
  set,
  ...rest
}: Common & { value: string[]; set: (v: string[]) => void; rows?: number; mono?: boolean }) {
  const [typed, setTyped] = useState(value.join("\n"));
  return (
    <TextField
      rows={3}
      {...rest}
      value={typed}
      set={(t) => {
        setTyped(t);
        set(
          t
            .split("\n")
            .map((w) => w.trim())
            .filter(Boolean),
        );
      }}
    />
  );
}
