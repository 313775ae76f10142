import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useKeys } from "../app/keys";
import { DayFilter } from "./dayinput";

/** One filter of a list: its name in the API, how it is called, and what may be chosen. Without options it is typed. */
export type Filter = { name: string; words: string; options?: readonly (readonly [string, string])[]; type?: "date" | "text" };

type Props = {
  of: Filter[];
  search: string | undefined;
  value: Record<string, string>;
  set: (change: Record<string, string | undefined>) => void;
};

/** The filters and the search of a list. */
export function Filters({ of, search, value, set }: Props) {
  return (
    <>
      {of.map((f) => (
        <FilterField key={f.name} of={f} value={value[f.name] ?? ""} set={(v) => set({ [f.name]: v || undefined })} />
      ))}
      {search && <SearchBox what={search} value={value.q ?? ""} onChange={(q) => set({ q: q || undefined })} />}
    </>
  );
}

function FilterField({ of, value, set }: { of: Filter; value: string; set: (v: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  if (of.options) return <Choice words={of.words} value={value} set={set} of={of.options} />;
  if (of.type === "date") return <DayFilter words={of.words} value={value} set={set} />;
  return (
    <label className={`filter${value ? " on" : ""}`}>
      <span>{of.words}</span>
      <input
        data-reads=""
        type="text"
        value={typed}
        maxLength={200}
        onChange={(e) => setTyped(e.target.value)}
        onBlur={() => typed !== value && set(typed)}
        onKeyDown={(e) => e.key === "Enter" && set(typed)}
      />
    </label>
  );
}

type ChoiceProps = { words: string; value: string | undefined; set: (v: string) => void; of: readonly (readonly [string, string])[] };

/** A filter of which one value is chosen, or any. A value of the address that is none of them is shown as it is. */
export function Choice({ words, value = "", set, of }: ChoiceProps) {
  return (
    <label className={`filter${value ? " on" : ""}`}>
      <span className="sr">{words}</span>
      <select data-reads="" value={value} onChange={(e) => set(e.target.value)}>
        <option value="">{words}: any</option>
        {of.map(([v, called]) => (
          <option key={v} value={v}>
            {called}
          </option>
        ))}
        {value && !of.some(([v]) => v === value) && <option value={value}>{value}</option>}
      </select>
    </label>
  );
}

/** Searches while one types, a quarter of a second after the last key. The key / leads here, Escape clears it. */
export function SearchBox({ what, value, onChange }: { what: string; value: string; onChange: (q: string) => void }) {
  const [typed, setTyped] = useState(value);
  const box = useRef<HTMLInputElement>(null);
  const told = useRef(onChange);
  told.current = onChange;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => told.current(typed), 250);
    return () => clearTimeout(timer);
  }, [typed, value]);
  useKeys({ "/": () => box.current?.focus() });
  return (
    <label className="search">
      <Search aria-hidden size={16} />
      <span className="sr">Search {what}</span>
      <input
        ref={box}
        data-reads=""
        type="search"
        value={typed}
        placeholder={`Search ${what}`}
        onChange={(e) => setTyped(e.target.value)}
        onKeyDown={(e) => {
          if (e.key !== "Escape") return;
          if (typed) setTyped("");
          else box.current?.blur();
        }}
        maxLength={200}
      />
    </label>
  );
}
