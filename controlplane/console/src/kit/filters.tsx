import { Popover } from "@base-ui/react/popover";
import { Search, SlidersHorizontal } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import * as text from "#text/kit";
import { useGet } from "../api/use";
import { useKeys } from "../app/keys";
import { DayFilter } from "./dayinput";
import type { Filter } from "./listtypes";
import { PersonFilter } from "./personfilter";

type Props = {
  of: Filter[];
  search: string | undefined;
  value: Record<string, string>;
  set: (change: Record<string, string | undefined>) => void;
};

/** The search and the filters of a list. Of the filters as many as there is room for are shown; the others are behind a button. */
export function Filters({ of, search, value, set, room = of.length }: Props & { room?: number }) {
  const [beside, behind] = [of.slice(0, room), of.slice(room)];
  const on = behind.filter((f) => value[f.name]).length;
  const field = (f: Filter) => (
    <FilterField key={f.name} of={f} value={value[f.name] ?? ""} set={(v) => set({ [f.name]: v || undefined })} />
  );
  return (
    <>
      {search && <SearchBox what={search} value={value.q ?? ""} onChange={(q) => set({ q: q || undefined })} />}
      {beside.map(field)}
      {behind.length > 0 && (
        <Popover.Root>
          <Popover.Trigger className={`button filters-more${on > 0 ? " on" : ""}`} data-reads="">
            <SlidersHorizontal aria-hidden size={15} /> {beside.length > 0 ? text.moreFilters : text.filters}
            {on > 0 && ` (${on})`}
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Positioner className="over" sideOffset={4} align="end">
              <Popover.Popup className="menu filter-sheet" aria-label={text.moreFilters}>
                {behind.map(field)}
              </Popover.Popup>
            </Popover.Positioner>
          </Popover.Portal>
        </Popover.Root>
      )}
    </>
  );
}

function FilterField({ of, value, set }: { of: Filter; value: string; set: (v: string) => void }) {
  if (of.options) return <Choice words={of.words} value={value} set={set} of={of.options} />;
  if (of.type === "date") return <DayFilter words={of.words} value={value} set={set} />;
  if (of.type === "person") return <PersonFilter words={of.words} value={value} set={set} />;
  return <TypedFilter of={of} value={value} set={set} />;
}

/** A filter that is typed. It applies while one types, a quarter of a second after the last key. */
function TypedFilter({ of, value, set }: { of: Filter; value: string; set: (v: string) => void }) {
  const [typed, setTyped] = useTyped(value, set);
  const [asked, setAsked] = useState(false);
  const names = useGet<{ items: { name: string }[] }>(
    of.suggest ?? "",
    { q: value },
    { enabled: Boolean(of.suggest) && asked, keep: true },
  );
  const list = useId();
  return (
    <label className={`filter${value ? " on" : ""}`}>
      <span>{of.words}</span>
      <input
        data-reads=""
        type="text"
        value={typed}
        maxLength={200}
        placeholder={text.any}
        list={of.suggest ? list : undefined}
        onFocus={() => setAsked(true)}
        onChange={(e) => setTyped(e.target.value)}
      />
      {of.suggest && (
        <datalist id={list}>
          {names.data?.items.map((n) => (
            <option key={n.name} value={n.name} />
          ))}
        </datalist>
      )}
    </label>
  );
}

/** What is typed, and given on a quarter of a second after the last key. */
function useTyped(value: string, set: (v: string) => void): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(value);
  const given = useRef(set);
  given.current = set;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => given.current(typed), 250);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return [typed, setTyped];
}

type ChoiceProps = { words: string; value: string | undefined; set: (v: string) => void; of: readonly (readonly [string, string])[] };

/** A filter of which one value is chosen, or any. A value of the address that is none of them is shown as it is. */
export function Choice({ words, value = "", set, of }: ChoiceProps) {
  return (
    <label className={`filter${value ? " on" : ""}`}>
      <span>{words}</span>
      <select data-reads="" value={value} onChange={(e) => set(e.target.value)}>
        <option value="">{text.any}</option>
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
  const [typed, setTyped] = useTyped(value, onChange);
  const box = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => box.current?.focus() });
  return (
    <label className="search">
      <Search aria-hidden size={16} />
      <span className="sr">{text.searchWhat(what)}</span>
      <input
        ref={box}
        data-reads=""
        type="search"
        value={typed}
        placeholder={text.searchWhatText(what)}
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
