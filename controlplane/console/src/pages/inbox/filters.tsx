import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import * as text from "#text/inbox";
import type { Of } from "../../api/types";
import { Filters } from "../../kit/filters";
import { Button } from "../../kit/kit";
import type { Filter } from "../../kit/listtypes";
import { kindOptions, type Search, themes } from "./tasks";

type Props = { search: Search; set: (change: Search) => void };

/** What the inbox is narrowed to by one click, with how many that are. */
export function Themes({ search, set, counts }: Props & { counts: Of<"DecisionSummary"> | undefined }) {
  const open = new Map((counts?.kinds ?? []).map((k) => [k.kind, k.open]));
  const sum = (kinds: string[]) => kinds.reduce((n, k) => n + (open.get(k) ?? 0), 0);
  return (
    <nav className="row" aria-label={text.kindsOfTasks}>
      <Chip words={text.all} count={counts?.open} on={!search.kind} go={() => set({ kind: "" })} />
      {themes.map(([words, kinds]) => {
        const on = search.kind === kinds.join(",");
        const count = sum(kinds);
        if (count === 0 && !on) return null;
        return <Chip key={words} words={words} count={count} on={on} go={() => set({ kind: on ? "" : kinds.join(",") })} />;
      })}
    </nav>
  );
}

function Chip({ words, count, on, go }: { words: string; count: number | undefined; on: boolean; go: () => void }) {
  return (
    <button type="button" className="chip" data-reads="" aria-pressed={on} onClick={go}>
      {words}
      {count !== undefined && <span className="count">{count.toLocaleString("en")}</span>}
    </button>
  );
}

const more: Filter[] = [
  { name: "kind", words: text.kind, options: kindOptions },
  { name: "risk", words: text.risk, options: ["critical", "high", "medium", "low"].map((r) => [r, r] as const) },
  {
    name: "sort",
    words: text.sort,
    options: [
      ["-priority", text.urgency],
      ["created_at", text.oldestFirst],
      ["-created_at", text.newestFirst],
    ],
  },
  {
    name: "state",
    words: text.state,
    options: [
      ["decided", text.decided],
      ["closed", text.closedWithoutADecision],
    ],
  },
];

const first: Filter[] = [
  {
    name: "due",
    words: text.due,
    options: [
      ["overdue", text.overdueLower],
      ["today", text.byToday],
      ["week", text.withinAWeek],
    ],
  },
  {
    name: "group",
    words: text.groupBy,
    options: [
      ["person", text.personLower],
      ["resource", text.accessOrSystem],
      ["alike", text.similarity],
    ],
  },
];

/** Everything else by which the inbox is narrowed, and how it is put together. What is seldom used opens by a button. */
export function MoreFilters({ search, set, readOnly }: Props & { readOnly: boolean }) {
  const used = more.filter((f) => search[f.name as keyof Search]).length;
  const [open, setOpen] = useState(used > 0);
  const change = (c: Record<string, string | undefined>) =>
    set(Object.fromEntries(Object.entries(c).map(([n, v]) => [n, v ?? ""])) as Search);
  const value = search as Record<string, string>;
  const severalKinds = Boolean(search.kind?.includes(","));
  return (
    <>
      <div className="row inbox-filters">
        <label className={`filter${search.assigned ? " on" : ""}`}>
          <span className="sr">{text.assignment}</span>
          <select data-reads="" value={search.assigned ?? (readOnly ? "all" : "mine")} onChange={(e) => set({ assigned: e.target.value })}>
            <option value="mine">{text.mineToDecide}</option>
            <option value="delegated">{text.reassignedToOthers}</option>
            <option value="all">{text.allVisible}</option>
          </select>
        </label>
        <Filters of={first} search="tasks" value={value} set={change} />
        <Button reads tone="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          <SlidersHorizontal aria-hidden size={14} /> {text.filters}
          {used > 0 && ` (${used})`}
        </Button>
      </div>
      {open && (
        <div className="row inbox-filters">
          <Filters
            of={more.map((f) =>
              f.name === "kind" && severalKinds ? { ...f, options: [...kindOptions, [search.kind ?? "", text.severalKinds] as const] } : f,
            )}
            search={undefined}
            value={value}
            set={change}
          />
        </div>
      )}
    </>
  );
}
