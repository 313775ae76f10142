import * as text from "#text/separation";
import { ConflictSides } from "../separation/conflict";
import { Cures } from "../separation/cures";
import type { Conflict } from "../separation/words";
import { at, type Task } from "./tasks";

/** The conflict of a violation, or those that hold a task back, with the smallest ways out. */
export default function Sides({ task }: { task: Task }) {
  const one = at(task.context, "conflict") as Conflict | undefined;
  const all = one ? [one] : ((at(task.context, "violations") ?? []) as Conflict[]);
  return all.map((c) => (
    <div key={c.policy.id} className="stack">
      <ConflictSides of={c} />
      <div className="stack tight">
        <h4>{c.cures.length > 1 ? text.removeAnyOneOfThese : text.waysToEndIt}</h4>
        <Cures of={c} />
      </div>
    </div>
  ));
}
