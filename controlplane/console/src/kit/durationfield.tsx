import * as text from "#text/kit";
import "./durationfield.css";
import { useState } from "react";
import { type DurationUnit, durationParts, durationSeconds, durationText, isoDuration } from "./duration";
import { Field } from "./form";

type Props = {
  label: string;
  value: string;
  /** What is sent: an ISO 8601 length of time, or nothing. */
  set: (v: string) => void;
  hint?: string;
  error?: string | undefined;
  required?: boolean;
  disabled?: boolean;
  units?: readonly DurationUnit[];
  /** What nothing means, such as "no limit". */
  none?: string;
  /** It changes only what is shown. */
  reads?: boolean;
};

/** A length of time: how many, and of what. One that several units make up is told in words beside it. */
export function DurationField({ value, set, units = ["hour", "day", "week"], none, reads, ...common }: Props) {
  const parts = durationParts(value);
  const [unit, setUnit] = useState<DurationUnit>(parts?.unit ?? units.find((u) => u === "day") ?? units[0] ?? "day");
  const shown = parts?.unit ?? unit;
  const given = value !== "" && durationSeconds(value) === undefined ? value : "";
  const hint = [none && !value ? text.ifEmptyNone(none) : "", common.hint ?? ""].filter(Boolean).join(" ");
  const more = shown === "day" || shown === "week" ? "" : parts && parts.n > 24 ? durationText(value) : "";
  return (
    <Field {...common} hint={[hint, more].filter(Boolean).join(" ")}>
      {(id, described) => (
        <div className="span-field">
          <input
            id={id}
            type={given ? "text" : "number"}
            min={1}
            step={1}
            inputMode="numeric"
            data-reads={reads ? "" : undefined}
            value={given || (parts?.n ?? "")}
            aria-describedby={described}
            aria-invalid={common.error ? true : undefined}
            required={common.required}
            disabled={common.disabled}
            onChange={(e) => {
              const n = Math.floor(Number(e.target.value));
              set(n > 0 ? isoDuration(n, shown) : "");
            }}
          />
          <select
            aria-label={text.unitOf(common.label)}
            data-reads={reads ? "" : undefined}
            value={shown}
            disabled={common.disabled}
            onChange={(e) => {
              const next = e.target.value as DurationUnit;
              setUnit(next);
              if (parts) set(isoDuration(parts.n, next));
            }}
          >
            {[...new Set([...units, shown])].map((u) => (
              <option key={u} value={u}>
                {text.durationUnits[u]}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}
