import { X } from "lucide-react";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { DayFilter } from "../../kit/dayinput";
import { Choice, SearchBox } from "../../kit/filters";
import { Button } from "../../kit/kit";
import type { Asked } from "./words";

type Catalog = Of<"CatalogOutBody">;

/** What the log can be narrowed to: the actions of the catalogue, outcomes, who, what, and when. */
export function Facets({ of, go }: { of: Asked; go: (next: Asked) => void }) {
  const catalog = useGet<Catalog>("/audit-events/catalog");
  const actions = catalog.data?.items ?? [];
  const categories = [...new Set(actions.map((a) => a.category))].sort();
  const set = (change: Asked) => go({ ...of, ...change, event: "" });
  const known = actions.filter((a) => !of.category || a.category === of.category);
  const domains = [...new Set(known.map((a) => a.action.split(".")[0] ?? ""))].filter(Boolean);
  return (
    <section className="stack tight" aria-label="View">
      <div className="row filters">
        <Choice words="Category" value={of.category} set={(category) => set({ category, action: "" })} of={categories.map((c) => [c, c])} />
        <Choice
          words="Action"
          value={of.action}
          set={(action) => set({ action })}
          of={[
            ...domains.map((d) => [`${d}.*`, `${d}: all`] as [string, string]),
            ...known.map((a) => [a.action, a.action] as [string, string]),
          ]}
        />
        <Choice
          words="Outcome"
          value={of.outcome}
          set={(outcome) => set({ outcome })}
          of={[
            ["success", "done"],
            ["failure", "failed"],
            ["denied", "denied"],
          ]}
        />
        <Choice
          words="Actor"
          value={of.actor_type}
          set={(actor_type) => set({ actor_type })}
          of={[
            ["user", "people"],
            ["service", "integrations"],
            ["agent", "agents"],
            ["system", "the service"],
          ]}
        />
        <DayFilter words="From" value={of.from ?? ""} set={(from) => set({ from })} />
        <DayFilter words="To" value={of.to ?? ""} set={(to) => set({ to })} />
        <SearchBox what="search entries" value={of.q ?? ""} onChange={(q) => set({ q })} />
      </div>
      <div className="row">
        <Taken words="by" value={of.actor} drop={() => set({ actor: "" })} />
        <Taken words="about" value={of.object} drop={() => set({ object: "", object_type: "" })} />
        <Taken words="of the request" value={of.request} drop={() => set({ request: "" })} />
        {of.action && known.find((a) => a.action === of.action) && (
          <span className="small muted">{known.find((a) => a.action === of.action)?.meaning}</span>
        )}
      </div>
    </section>
  );
}

/** What was narrowed to from an entry, until it is taken off. */
function Taken({ words, value, drop }: { words: string; value: string | undefined; drop: () => void }) {
  if (!value) return null;
  return (
    <span className="chip audit-taken" aria-current="true">
      {words} <code>{value}</code>
      <Button reads tone="quiet" className="icon" aria-label={`Remove filter: ${words} ${value}`} onClick={drop}>
        <X aria-hidden size={12} />
      </Button>
    </span>
  );
}
