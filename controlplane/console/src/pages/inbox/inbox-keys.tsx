import { useEffect } from "react";
import * as text from "#text/inbox";
import { singleKeys } from "../../app/appearance";
import { type Keys, useKeys, useSelectAll } from "../../app/keys";
import type { TaskActions } from "./detail";
import { type Action, keysOf, sharedActions, type Task } from "./tasks";

type Props = {
  tasks: Task[];
  /** The open task, once it is known; at: its id in the address. */
  open: Task | undefined;
  at: string | undefined;
  chosen: Map<string, Task>;
  mark: (id: string, range: boolean) => void;
  all: () => void;
  clear: () => void;
  show: (id: string | undefined) => void;
  act: (action: Action) => void;
  doings: TaskActions;
  undoLast: () => void;
  /** Reads more of the list; at its end there is none. */
  more: (() => void) | undefined;
  mayDecide: boolean;
};

const wide = () => window.matchMedia("(min-width: 1100px)").matches;
const link = (id: string) => document.querySelector<HTMLElement>(`[id="task-${id}"] a`);

/** Everything that the inbox does by a key. */
export function useInboxKeys(p: Props) {
  useFocusOfOpen(p.at);
  useSelectAll(p.mayDecide ? p.all : undefined);
  const actions = p.chosen.size > 0 ? sharedActions([...p.chosen.values()]) : (p.open?.actions ?? []);
  const waits = p.chosen.size > 0 || p.open?.state === "open" || p.open?.state === "claimed";
  const answers: Keys = {};
  if (p.mayDecide && waits)
    for (const [key, name] of keysOf(actions)) {
      answers[key] = (e) => {
        if (e.repeat) return; // a key that is held down decides one task, not all that follow
        const action = actions.find((a) => a.key === name);
        if (action) p.act(action);
      };
    }
  const keys: Keys = {
    j: () => move(p, 1),
    k: () => move(p, -1),
    "]": () => move(p, 1),
    "[": () => move(p, -1),
    ArrowDown: (e) => inList(e) && move(p, 1),
    ArrowUp: (e) => inList(e) && move(p, -1),
    u: () => back(p),
    Escape: () => back(p),
    ...(p.mayDecide
      ? {
          x: () => marked(p, false),
          X: () => marked(p, true),
          z: () => p.undoLast(),
          d: () => (p.open && p.chosen.size === 0 ? p.doings.reassign() : false),
          c: () => document.querySelector<HTMLElement>("#inbox-comment textarea")?.focus() ?? undefined,
          ...answers,
        }
      : {}),
  };
  useKeys(keys);
}

const inList = (e: KeyboardEvent) =>
  e.target === document.body || (e.target instanceof Element && e.target.closest(".inbox-list,h1") !== null);

/** Where one is in the list: at the row that has the focus, otherwise at the open task. */
function place(p: Props): number {
  const row = document.activeElement?.closest(".inbox-row")?.id.slice("task-".length);
  const focused = row ? p.tasks.findIndex((t) => t.id === row) : -1;
  return p.at ? p.tasks.findIndex((t) => t.id === p.at) : focused;
}

function move(p: Props, by: number) {
  const here = place(p);
  if (by > 0 && here >= p.tasks.length - 5) p.more?.();
  const next = p.tasks[Math.min(Math.max(here + by, 0), p.tasks.length - 1)];
  if (!next) return false;
  if (wide() || p.at) p.show(next.id);
  const row = link(next.id);
  row?.focus({ preventScroll: true });
  row?.closest("li")?.scrollIntoView({ block: "nearest" });
  return true;
}

function marked(p: Props, range: boolean) {
  const row = p.tasks[place(p)];
  if (!row) return false;
  p.mark(row.id, range);
  return true;
}

function back(p: Props) {
  if (p.at) {
    const from = p.at;
    p.show(undefined);
    requestAnimationFrame(() => link(from)?.focus({ preventScroll: true }));
  } else if (p.chosen.size > 0) p.clear();
  else return false;
  return true;
}

/** The focus is not lost when a task makes way for the next: it goes to its row, or to its title where the list is hidden. */
function useFocusOfOpen(at: string | undefined) {
  useEffect(() => {
    if (!at) return;
    const timer = setTimeout(() => {
      const lost = document.activeElement === document.body || document.activeElement === null;
      if (!wide()) document.querySelector<HTMLElement>(".inbox-title")?.focus({ preventScroll: true });
      else if (lost) link(at)?.focus({ preventScroll: true });
      link(at)?.closest("li")?.scrollIntoView({ block: "nearest" });
    }, 30);
    return () => clearTimeout(timer);
  }, [at]);
}

const keys: [string[], string, boolean][] = [
  [["J", text.k], "move", false],
  [["X"], "select", true],
  [["A"], "approve", true],
  [["R"], "reject", true],
  [["D"], "reassign", true],
  [["C"], "comment", true],
  [["Z"], "undo", true],
  [["U"], "back", false],
];

/** The keys, below the list. */
export function KeyFooter({ mayDecide }: { mayDecide: boolean }) {
  if (!singleKeys()) return null;
  return (
    <p className="inbox-keys small muted" aria-hidden>
      {keys
        .filter(([, , writes]) => mayDecide || !writes)
        .map(([names, words]) => (
          <span key={words}>
            {names.map((n) => (
              <kbd key={n}>{n}</kbd>
            ))}{" "}
            {words}
          </span>
        ))}
    </p>
  );
}
