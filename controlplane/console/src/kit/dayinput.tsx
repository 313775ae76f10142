import { type InputHTMLAttributes, useEffect, useState } from "react";

type Props = Pick<InputHTMLAttributes<HTMLInputElement>, "id" | "max" | "aria-describedby"> & { value: string; set: (day: string) => void };

/** Years of less are still being typed: 2, 20 and 202 on the way to 2026. */
const whole = /^[1-9]\d{3}-/;

/** The day that a page is about; it changes only what is shown. Nothing is asked for a day before its year is typed to the end. */
export function DayInput({ value, set, max = "9999-12-31", ...rest }: Props) {
  const day = value.slice(0, 10);
  const [typed, setTyped] = useState(day);
  useEffect(() => setTyped(day), [day]);
  const meant = () => typed !== day && set(typed);
  return (
    <input
      {...rest}
      data-reads=""
      type="date"
      max={max}
      value={typed}
      onChange={(e) => {
        setTyped(e.target.value);
        if (e.target.value === "" || whole.test(e.target.value)) set(e.target.value);
      }}
      onBlur={meant}
      onKeyDown={(e) => e.key === "Enter" && meant()}
    />
  );
}

/** It as a filter of what is below. */
export function DayFilter({ words, ...of }: Props & { words: string }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the input is that of DayInput
    <label className={`filter${of.value ? " on" : ""}`}>
      <span>{words}</span>
      <DayInput {...of} />
    </label>
  );
}
