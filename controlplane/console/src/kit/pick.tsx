import { Combobox } from "@base-ui/react/combobox";
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useDeferredValue, useId, useRef, useState } from "react";
import * as text from "#text/kit";
import { ask, type Query } from "../api/client";
import { Refusal } from "../api/session";
import { number } from "./count";
import { useDebounced } from "./debounce";
import { FieldError } from "./form";
import { systemOf, useSystems } from "./systems";

/** Something that was picked: its id, and how it is called. */
export type Picked = { id: string; words: string; detail?: string };

/** Where things are looked for. A search that needs letters lists nothing for fewer, and waits until somebody stops typing. */
export type Source<T> = {
  path: string;
  query?: Query;
  as: (row: T, systems: Map<string, string>) => Picked;
  letters?: number;
  none?: string;
  /** Rows are in systems, whose names are told along. */
  inSystems?: boolean;
};

/** What is answered: a page of a list, or the first few of a search and whether there are more. */
type Found<T> = { items: T[]; total?: number; more?: boolean };

type Props<T> = {
  label: string;
  source: Source<T>;
  value: Picked | null;
  set: (p: Picked | null) => void;
  hint?: string;
  required?: boolean;
  disabled?: boolean;
  error?: string | undefined;
  /** Escape leaves what was picked, and closes what is around the field. Without it, Escape clears the field. */
  keeps?: boolean;
};

const rows = 20;

/** Finds one of many by what is typed: the service searches (q), and shows the first 20. */
export function Pick<T>({ label, source, value, set, hint, required, disabled, error, keeps }: Props<T>) {
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState(false);
  const { letters = 0 } = source;
  const systems = useSystems(source.inSystems ?? false);
  const q = useDebounced(useDeferredValue(typed), letters ? 200 : 0);
  const id = useId();
  const field = useRef<HTMLDivElement>(null);
  const asked = q === value?.words ? "" : q;
  const enough = count(asked) >= letters;
  const found = useQuery({
    queryKey: [source.path, "pick", source.query, asked],
    queryFn: ({ signal }) => ask<Found<T>>("GET", source.path, { query: { limit: rows, ...source.query, q: asked }, signal }),
    enabled: open && enough,
    placeholderData: (was) => was,
  });
  const all = (found.data?.items ?? []).map((row) => source.as(row, systems));
  // What was found for fewer letters is still there until the answer to these comes: of it only what fits them can be chosen.
  const late = found.isPlaceholderData || q !== typed;
  const few = count(typed === value?.words ? "" : typed) < letters;
  const items = few ? [] : late && typed !== value?.words ? all.filter((p) => fits(p, typed)) : all;
  return (
    <div className="field">
      <label htmlFor={id}>
        <span>{label}</span>
      </label>
      <Combobox.Root<Picked>
        items={items}
        filter={null}
        value={value}
        onValueChange={(v, why) => (keeps && why.reason === "escape-key" ? why.cancel() : set(v))}
        onInputValueChange={(words, why) => {
          if (!keeps || why.reason !== "escape-key") return setTyped(words);
          why.allowPropagation();
          return why.cancel();
        }}
        onOpenChange={setOpen}
        itemToStringLabel={(p) => p.words}
        isItemEqualToValue={(a, b) => a.id === b.id}
        disabled={disabled ?? false}
        required={required ?? false}
      >
        <div className="picker" ref={field}>
          <Combobox.Input
            id={id}
            aria-label={label} // the label itself is hidden from readers while the list is open
            placeholder={text.typeToSearch}
            aria-invalid={error ? true : undefined}
            aria-describedby={[hint && `${id}-hint`, error && `${id}-wrong`].filter(Boolean).join(" ") || undefined}
          />
          {value && !disabled && (
            <Combobox.Clear className="button quiet icon" aria-label={text.clearLabel(label)}>
              <X aria-hidden size={14} />
            </Combobox.Clear>
          )}
        </div>
        {/* It stands outside of the page's main part, and must be a part that readers can go to. */}
        <Combobox.Portal role="region" aria-label={text.choicesLabel(label)}>
          <Combobox.Positioner className="over" anchor={field} align="start" sideOffset={4}>
            <Combobox.Popup className="menu picks">
              <Combobox.Status className="small muted pick-status">
                {few
                  ? text.typeAtLeastLettersLettersOf(letters)
                  : late && items.length === 0
                    ? text.searching
                    : state(found, items.length, source.none)}
              </Combobox.Status>
              <Combobox.List>
                {(p: Picked) => (
                  <Combobox.Item key={p.id} value={p} className="choice">
                    <span className="clip" dir="auto">
                      {p.words}
                    </span>
                    {p.detail && (
                      <span className="small faint clip" dir="auto">
                        {p.detail}
                      </span>
                    )}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {hint && (
        <small id={`${id}-hint`} className="muted">
          {hint}
        </small>
      )}
      <FieldError of={error} id={`${id}-wrong`} />
    </div>
  );
}

/** Whether each word that was typed stands in what is shown of something. */
function fits(p: Picked, typed: string): boolean {
  const shown = `${p.words} ${p.detail ?? ""}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word));
}

/** How many letters and digits were typed. */
const count = (typed: string) => typed.match(/[\p{L}\p{N}\p{M}]/gu)?.length ?? 0;

type SearchState = { isError: boolean; isPending: boolean; error: unknown; data?: Found<unknown> | undefined };

function state(found: SearchState, shown: number, none = text.noResults): string | null {
  if (found.error instanceof Refusal && [403, 404, 409].includes(found.error.status)) return found.error.message;
  if (found.isError) return text.theSearchFailedTypeAgainTo;
  if (found.isPending) return text.searching;
  if (found.data?.more) return shown === 0 ? text.tooManyResultsTypeMoreOf : text.thereAreMoreResultsTypeMore;
  if (shown === 0) return none;
  const total = found.data?.total ?? shown;
  return total > shown ? text.firstShownOfTotalTypeTo(shown, number(total)) : null;
}

/** What pickers look for most often. */
export const people: Source<{ id: string; display_name?: string | null; email?: string | null; department?: string | null }> = {
  path: "/identities",
  as: (p) => ({ id: p.id, words: p.display_name || p.email || p.id, detail: [p.email, p.department].filter(Boolean).join(" · ") }),
};
/** To whom decisions can be handed, also by who sees nobody else: of a task, or as delegates. listed: all who may be named are few. */
export const colleagues = (
  path: string,
  more: { query?: Query; listed?: boolean } = {},
): Source<{ id: string; display: string; title?: string; department?: string; email?: string }> => ({
  path: `${path}/colleagues`,
  query: { ...more.query, limit: undefined },
  as: (p) => ({ id: p.id, words: p.display, detail: [p.title, p.department, p.email].filter(Boolean).join(" · ") }),
  letters: more.listed ? 0 : 2,
  none: text.noEligiblePersonHasThisName,
});
export const access: Source<{
  id: string;
  name: string;
  display_name?: string | null;
  kind: string;
  business_description?: string | null;
  connector_id?: string | null;
  connector_name?: string | null;
}> = {
  path: "/entitlements",
  inSystems: true,
  as: (e, systems) => {
    const system = systemOf(e, systems);
    const about = e.business_description || e.kind.replaceAll("_", " ");
    return { id: e.id, words: inSystem(e.display_name || e.name, system), detail: about };
  },
};
/** How something is called together with its system: names repeat from one system to the next. */
export const inSystem = (name: string, system: string | undefined) => (system ? `${name} · ${system}` : name);
export const connectors: Source<{ id: string; name: string; environment: string }> = {
  path: "/connectors",
  as: (c) => ({ id: c.id, words: c.name, detail: c.environment }),
};
export const roles: Source<{ id: string; key: string; name: string }> = {
  path: "/entitlements/roles",
  as: (r) => ({ id: r.id, words: r.name, detail: r.key }),
};
export const duties: Source<{ id: string; name: string; process?: string }> = {
  path: "/policies/duties",
  as: (d) => ({ id: d.id, words: d.name, detail: d.process ?? "" }),
};
export const separationPolicies: Source<{ id: string; name?: string; severity?: string }> = {
  path: "/policies/separation-of-duties",
  as: (p) => ({ id: p.id, words: p.name ?? p.id, detail: p.severity ?? "" }),
};
export const mitigatingControls: Source<{ id: string; name?: string; max_duration?: string }> = {
  path: "/policies/mitigation",
  as: (c) => ({ id: c.id, words: c.name ?? c.id }),
};
export const approvalRules: Source<{ id: string; name: string }> = {
  path: "/approval-rules",
  as: (r) => ({ id: r.id, words: r.name }),
};
export const users: Source<{ id: string; display_name?: string | null; email: string }> = {
  path: "/settings/users",
  as: (u) => ({ id: u.id, words: u.display_name || u.email, detail: u.email }),
};
