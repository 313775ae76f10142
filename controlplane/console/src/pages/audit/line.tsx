import * as text from "#text/audit";
import type { Of } from "../../api/types";
import { Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import type { AuditFilters } from "./words";

/** One entry of the log, in a row. */
export function Line({ of: e, row, search }: { of: Of<"Event">; row: number; search: AuditFilters }) {
  return (
    <tr aria-rowindex={row} data-entry={e.id} data-outcome={e.outcome}>
      <td className="small muted">
        <When at={e.time} />
      </td>
      <td>
        <Link to="/audit" search={{ ...search, event: e.id }} resetScroll={false} className="audit-action">
          {e.action}
        </Link>
      </td>
      <td>
        <Text of={actorOf(e)} />
      </td>
      <td>{e.subject && <Text of={subjectOf(e)} />}</td>
      <td>
        <Outcome of={e.outcome} />
      </td>
    </tr>
  );
}

const actorOf = (e: Of<"Event">) => e.actor.display || e.actor.id || e.actor.type;
const subjectOf = (e: Of<"Event">) => e.subject && (e.subject.display || e.subject.type.replaceAll("_", " "));

/** The words of an entry, in one line of text. */
export const lineText = (e: Of<"Event">) =>
  [e.action, actorOf(e), subjectOf(e), outcomes[e.outcome] ?? e.outcome]
    .filter(Boolean)
    .join("  ")
    .replaceAll(/\s*\n\s*/g, " ");

const outcomes: Record<string, string> = { success: text.done, denied: text.denied, failure: text.failed };

/** How something ended. */
export function Outcome({ of }: { of: string }) {
  return <State of={of} tone={of === "success" ? "ok" : of === "denied" ? "bad" : "warn"} words={outcomes[of] ?? text.failed} />;
}
