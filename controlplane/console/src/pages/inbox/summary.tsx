import * as text from "#text/inbox";
import type { Of } from "../../api/types";
import { Bar } from "../../kit/elements";
import { Button, Empty, Facts, When } from "../../kit/kit";
import type { Search } from "./tasks";

const ages = [
  ["under_1_day", text.lessThanADay, 4],
  ["1_to_3_days", text.oneToThreeDays, 1],
  ["3_to_7_days", text.threeToSevenDays, 3],
  ["7_to_30_days", text.oneToFourWeeks, 2],
  ["over_30_days", text.moreThanFourWeeks, 5],
] as const;

/** Stands beside the list while no task is open: what waits, and for how long it has. */
export function InboxSummary({ counts }: { counts: Of<"DecisionSummary"> | undefined }) {
  if (!counts || counts.open === 0) return null;
  const ageing = counts.ageing as unknown as Record<string, number>;
  const ageGroups = ages.map(([name, words, tone]) => ({ words, value: ageing[name] ?? 0, tone })).filter((a) => a.value > 0);
  return (
    <section className="card padded stack" aria-label={text.openTasks}>
      <h2>{text.selectATaskOrPressJ}</h2>
      <Facts
        of={[
          [text.open, counts.open.toLocaleString("en")],
          [
            text.overdue,
            counts.overdue > 0 ? (
              <span key="b" className="bad">
                {counts.overdue.toLocaleString("en")}
              </span>
            ) : (
              text.none
            ),
          ],
          [text.dueToday, counts.due_today.toLocaleString("en")],
          [text.oldest, <When key="o" at={counts.oldest_at} none={text.nothing} />],
        ]}
      />
      <div className="stack tight">
        <h3>{text.ageOfOpenTasks}</h3>
        <Bar label={text.ageOfOpenTasks} of={ageGroups} />
        <ul className="small muted inbox-age-chart">
          {ageGroups.map((a) => (
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
  if (!narrowed) return <Empty title={text.noOpenTasks}>{text.decisionTasksAreListedHereAccess}</Empty>;
  return (
    <Empty title={text.noResultsMatchTheseFilters}>
      <Button reads onClick={() => set({ kind: "", risk: "", due: "", assigned: "", state: "", q: "" })}>
        {text.clearFilters}
      </Button>
    </Empty>
  );
}
