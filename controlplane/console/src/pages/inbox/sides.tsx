import * as text from "#text/separation";
import { ConflictSides } from "../separation/conflict";
import { Cures } from "../separation/cures";
import type { Conflict } from "../separation/words";
import { at, type Task } from "./tasks";

/** The conflict that a violation is, and the smallest ways out of it. */
export default function Sides({ task }: { task: Task }) {
  const conflict = at(task.context, "conflict") as Conflict | undefined;
  if (!conflict) return null;
  return (
    <div className="stack">
      <ConflictSides of={conflict} />
      <div className="stack tight">
        <h4>{conflict.cures.length > 1 ? text.removeAnyOneOfThese : text.waysToEndIt}</h4>
        <Cures of={conflict} />
      </div>
    </div>
  );
}
