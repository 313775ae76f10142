import { X } from "lucide-react";
import { useRef } from "react";
import * as text from "#text/audit";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Filters } from "../../kit/filters";
import { useFitting } from "../../kit/fitting";
import { Button } from "../../kit/kit";
import type { Filter } from "../../kit/listtypes";
import type { AuditFilters } from "./words";

type Catalog = Of<"CatalogOutBody">;

const outcomes = [
  ["success", text.done],
  ["failure", text.failed],
  ["denied", text.denied],
] as const;

const actors = [
  ["user", text.people],
  ["service", text.integrations],
  ["agent", text.agents],
  ["system", text.theService],
] as const;

/** What the log can be narrowed to: the actions of the catalog, outcomes, who, what, and when. */
export function Facets({ of, go }: { of: AuditFilters; go: (next: AuditFilters) => void }) {
  const catalog = useGet<Catalog>("/audit-events/catalog");
  const actions = catalog.data?.items ?? [];
  const categories = [...new Set(actions.map((a) => a.category))].sort();
  const set = (change: AuditFilters) => go({ ...of, ...change, event: "" });
  const known = actions.filter((a) => !of.category || a.category === of.category);
  const domains = [...new Set(known.map((a) => a.action.split(".")[0] ?? ""))].filter(Boolean);
  const filters: Filter[] = [
    { name: "category", words: text.category, options: categories.map((c) => [c, c]) },
    {
      name: "action",
      words: text.action,
      options: [...domains.map((d) => [`${d}.*`, text.allOf(d)] as const), ...known.map((a) => [a.action, a.action] as const)],
    },
    { name: "outcome", words: text.outcome, options: outcomes },
    { name: "actor_type", words: text.actor, options: actors },
    { name: "from", words: text.from, type: "date" },
    { name: "to", words: text.to, type: "date" },
  ];
  const line = useRef<HTMLDivElement>(null);
  const room = useFitting(line, filters.length);
  // An action is one of its category: with another category it is none.
  const change = (c: Record<string, string | undefined>) =>
    set({ ...Object.fromEntries(Object.entries(c).map(([name, v]) => [name, v ?? ""])), ...("category" in c ? { action: "" } : {}) });
  return (
    <section className="stack tight" aria-label={text.view}>
      <div className="list-line" ref={line}>
        <Filters of={filters} room={room} search={text.entriesLower} value={of} set={change} />
      </div>
      <div className="row">
        <ActiveFilter words={text.by} value={of.actor} drop={() => set({ actor: "" })} />
        <ActiveFilter words={text.about} value={of.object} drop={() => set({ object: "", object_type: "" })} />
        <ActiveFilter words={text.ofTheRequest} value={of.request} drop={() => set({ request: "" })} />
        {of.action && known.find((a) => a.action === of.action) && (
          <span className="small muted">{known.find((a) => a.action === of.action)?.meaning}</span>
        )}
      </div>
    </section>
  );
}

/** What was narrowed to from an entry, until it is taken off. */
function ActiveFilter({ words, value, drop }: { words: string; value: string | undefined; drop: () => void }) {
  if (!value) return null;
  return (
    <span className="chip audit-active-filters" aria-current="true">
      {words} <code>{value}</code>
      <Button reads tone="quiet" className="icon" aria-label={text.removeFilterWordsValue(words, value)} onClick={drop}>
        <X aria-hidden size={12} />
      </Button>
    </span>
  );
}
