import { Dialog } from "@base-ui/react/dialog";
import { useRouterState } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import * as text from "#text/app";
import { signOut } from "../api/session";
import { useMay } from "../api/use";
import { useGo } from "../kit/link";
import { commands, matching, type PaletteEntry, screenEntries } from "./commands";
import "./palette.css";
import { addRecent, recent } from "./recent";
import { type Section, useSearchResults } from "./searchresults";

/** Finds a screen, a deed, somebody, access, a system or a page of the documentation by what is typed. */
export default function Palette({ close, keys }: { close: (goes?: boolean) => void; keys: () => void }) {
  const [typed, type] = useState("");
  const [at, mark] = useState(0);
  const { sections, busy, failed } = usePaletteEntries(typed, keys);
  const all = sections.flatMap((s) => s.offers);
  const here = Math.min(at, Math.max(0, all.length - 1));
  const choose = useChoose(close);
  const id = useId();
  const press = (e: KeyboardEvent) => {
    const to = {
      ArrowDown: here + 1,
      ArrowUp: here - 1 + all.length,
      Home: typed ? undefined : 0,
      End: typed ? undefined : all.length - 1,
    }[e.key];
    if (to !== undefined && all.length > 0) {
      e.preventDefault();
      mark(to % all.length);
    } else if (e.key === "Enter" && all[here]) {
      e.preventDefault();
      choose(all[here]);
    }
  };
  return (
    <Dialog.Root open onOpenChange={(to) => to || close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="palette">
          <Dialog.Title className="sr">{text.searchAndCommands}</Dialog.Title>
          <div className="palette-box">
            <Search aria-hidden size={17} />
            <input
              role="combobox"
              aria-expanded
              aria-controls={`${id}list`}
              aria-activedescendant={all[here] ? `${id}${here}` : undefined}
              aria-autocomplete="list"
              aria-label={text.searchPeopleAccessAndSystemsOr}
              placeholder={text.searchOrEnterACommand}
              value={typed}
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              data-reads=""
              // biome-ignore lint/a11y/noAutofocus: it is what it was opened for
              autoFocus
              onChange={(e) => {
                type(e.target.value);
                mark(0);
              }}
              onKeyDown={press}
            />
            <kbd>Esc</kbd>
          </div>
          <PaletteEntries id={`${id}`} of={sections} here={here} mark={mark} choose={choose} />
          <p className="palette-state small muted" role="status">
            {state(typed, all.length, busy, failed)}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function state(typed: string, n: number, busy: boolean, failed: string[]): string {
  if (failed.length > 0) return text.theSearchFailedForFailedType(failed);
  if (!typed.trim()) return "";
  if (busy) return text.searching;
  return n === 0 ? text.noResults : text.nFound(n);
}

function usePaletteEntries(typed: string, keys: () => void) {
  const may = useMay();
  const path = useRouterState({ select: (s) => s.location.pathname });
  const found = useSearchResults(typed, may);
  const [last] = useState(recent);
  const go = screenEntries(may);
  const act = commands(may, path, keys, (everywhere) => void signOut(everywhere));
  if (!typed.trim()) {
    const listed = go.filter((o) => o.keys);
    return {
      ...found,
      sections: full([
        { title: text.recent, offers: last },
        { title: text.goTo, offers: listed },
        { title: text.commands, offers: act },
      ]),
    };
  }
  const own = matching([...go, ...act], typed).slice(0, 8);
  return { ...found, sections: full([{ title: text.commands, offers: own }, ...found.sections]) };
}

const full = (of: Section[]) => of.filter((s) => s.offers.length > 0);

function useChoose(close: (goes?: boolean) => void) {
  const navigate = useGo();
  return (o: PaletteEntry) => {
    addRecent(o);
    close(Boolean(o.way));
    if (o.way) void navigate(o.way);
    else o.act?.();
  };
}

type PaletteEntriesProps = { id: string; of: Section[]; here: number; mark: (i: number) => void; choose: (o: PaletteEntry) => void };

function PaletteEntries({ id, of, here, mark, choose }: PaletteEntriesProps) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: here is what moves
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [here]);
  let i = 0;
  return (
    <div ref={list} id={`${id}list`} role="listbox" aria-label={text.results} className="palette-list" tabIndex={-1}>
      {of.map((s) => (
        // biome-ignore lint/a11y/useSemanticElements: groups of a listbox
        <div key={s.title} role="group" aria-label={s.title}>
          <div className="palette-title small" aria-hidden>
            {s.title}
          </div>
          {s.offers.map((o) => {
            const n = i++;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are those of the field, which keeps the focus
              <div
                key={s.title + o.id}
                id={`${id}${n}`}
                role="option"
                aria-selected={n === here}
                className="palette-offer"
                onPointerMove={() => n === here || mark(n)}
                onPointerDown={(e) => e.preventDefault()}
                onClick={() => choose(o)}
              >
                <bdi className="clip">{o.words}</bdi>
                {o.detail && <bdi className="small muted clip detail">{o.detail}</bdi>}
                {o.keys && (
                  <span className="keys" aria-hidden>
                    {o.keys.map((k) => (
                      <kbd key={k}>{k}</kbd>
                    ))}
                  </span>
                )}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
