import type { Of } from "../../api/types";
import { Bar } from "../../kit/elements";
import { Button, Empty, Facts, When } from "../../kit/kit";
import type { Search } from "./tasks";

const ages = [
  ["under_1_day", "less than a day", 4],
  ["1_to_3_days", "one to three days", 1],
  ["3_to_7_days", "three to seven days", 3],
  ["7_to_30_days", "one to four weeks", 2],
  ["over_30_days", "more than four weeks", 5],
] as const;

/** Stands beside the list while no task is open: what waits, and for how long it has. */
export function InboxSummary({ counts }: { counts: Of<"DecisionSummary"> | undefined }) {
  if (!counts || counts.open === 0) return null;
  const ageing = counts.ageing as unknown as Record<string, number>;
  const told = ages.map(([name, words, tone]) => ({ words, value: ageing[name] ?? 0, tone })).filter((a) => a.value > 0);
  return (
    <section className="card padded stack" aria-label="Open tasks">
      <h2>Select a task, or press J</h2>
      <Facts
        of={[
          ["Open", counts.open.toLocaleString("en")],
          [
            "Overdue",
            counts.overdue > 0 ? (
              <span key="b" className="bad">
                {counts.overdue.toLocaleString("en")}
              </span>
            ) : (
              "none"
            ),
          ],
          ["Due today", counts.due_today.toLocaleString("en")],
          ["Oldest", <When key="o" at={counts.oldest_at} none="nothing" />],
        ]}
      />
      <div className="stack tight">
        <h3>Age of open tasks</h3>
        <Bar label="Age of open tasks" of={told} />
        <ul className="small muted inbox-ages">
          {told.map((a) => (
            <li key={a.words}>
              <span className={`inbox-dot c${a.tone}`} aria-hidden /> {a.value.toLocaleString("en")} {a.words}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

/** The list has nothing: because nothing waits, or nothing is like what is looked for. */
export function EmptyInbox({ search, set }: { search: Search; set: (change: Search) => void }) {
  const narrowed = Object.entries(search).some(([n, v]) => v && n !== "group" && n !== "sort");
  if (!narrowed) return <Empty title="No open tasks">Decision tasks are listed here: access requests, orphan accounts, held syncs.</Empty>;
  return (
    <Empty title="No results match these filters">
      <Button reads onClick={() => set({ kind: "", risk: "", due: "", assigned: "", state: "", q: "" })}>
        Clear filters
      </Button>
    </Empty>
  );
}
