import { Link } from "@tanstack/react-router";
import type { Of } from "../../api/types";
import { Text, When } from "../../kit/kit";
import { State } from "../../kit/state";
import type { Asked } from "./words";

/** One entry of the log, in a line. */
export function Line({ of: e, search }: { of: Of<"Event">; search: Asked }) {
  return (
    <li data-outcome={e.outcome}>
      <span className="small muted">
        <When at={e.time} />
      </span>
      <Link to="/audit" search={{ ...search, event: e.id } as never} resetScroll={false} className="audit-action">
        {e.action}
      </Link>
      <span>
        <Text of={e.actor.display || e.actor.id || e.actor.type} />
      </span>
      <span>{e.subject && <Text of={e.subject.display || e.subject.type.replaceAll("_", " ")} />}</span>
      <span>
        <Outcome of={e.outcome} />
      </span>
    </li>
  );
}

/** How something ended. */
export function Outcome({ of }: { of: string }) {
  return (
    <State
      of={of}
      tone={of === "success" ? "ok" : of === "denied" ? "bad" : "warn"}
      words={of === "success" ? "done" : of === "denied" ? "denied" : "failed"}
    />
  );
}
