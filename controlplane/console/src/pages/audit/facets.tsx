import { X } from "lucide-react";
import * as text from "#text/audit";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { DayFilter } from "../../kit/dayinput";
import { Choice, SearchBox } from "../../kit/filters";
import { Button } from "../../kit/kit";
import type { AuditFilters } from "./words";

type Catalog = Of<"CatalogOutBody">;

/** What the log can be narrowed to: the actions of the catalogue, outcomes, who, what, and when. */
export function Facets({ of, go }: { of: AuditFilters; go: (next: AuditFilters) => void }) {
  const catalog = useGet<Catalog>("/audit-events/catalog");
  const actions = catalog.data?.items ?? [];
  const categories = [...new Set(actions.map((a) => a.category))].sort();
  const set = (change: AuditFilters) => go({ ...of, ...change, event: "" });
  const known = actions.filter((a) => !of.category || a.category === of.category);
  const domains = [...new Set(known.map((a) => a.action.split(".")[0] ?? ""))].filter(Boolean);
  return (
    <section className="stack tight" aria-label={text.view}>
      <div className="row filters">
        <Choice
          words={text.category}
          value={of.category}
          set={(category) => set({ category, action: "" })}
          of={categories.map((c) => [c, c])}
        />
        <Choice
          words={text.action}
          value={of.action}
          set={(action) => set({ action })}
          of={[
            ...domains.map((d) => [`${d}.*`, text.allOf(d)] as [string, string]),
            ...known.map((a) => [a.action, a.action] as [string, string]),
          ]}
        />
        <Choice
          words={text.outcome}
          value={of.outcome}
          set={(outcome) => set({ outcome })}
          of={[
            ["success", text.done],
            ["failure", text.failed],
            ["denied", text.denied],
          ]}
        />
        <Choice
          words={text.actor}
          value={of.actor_type}
          set={(actor_type) => set({ actor_type })}
          of={[
            ["user", text.people],
            ["service", text.integrations],
            ["agent", text.agents],
            ["system", text.theService],
          ]}
        />
        <DayFilter words={text.from} value={of.from ?? ""} set={(from) => set({ from })} />
        <DayFilter words={text.to} value={of.to ?? ""} set={(to) => set({ to })} />
        <SearchBox what={text.searchEntries} value={of.q ?? ""} onChange={(q) => set({ q })} />
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
