import * as text from "#text/separation";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Failure, Part, Skeleton, Text, When } from "../../kit/kit";

/** Texts about a kind of object: what is said first, of no entries, of each action, and of the service as the actor. */
type Texts = { lead: string; none: string; actions: Record<string, string>; system: string };

/** What the audit log has about one object, the newest first. */
export function History({ id, lead, none, actions, system }: { id: string } & Texts) {
  const events = useGet<Page<Of<"Event">>>("/audit-events", { subject_id: id, limit: 50 });
  return (
    <Part title={text.history} lead={lead}>
      {events.isError ? (
        <Failure error={events.error} retry={() => void events.refetch()} />
      ) : !events.data ? (
        <Skeleton rows={2} />
      ) : events.data.items.length === 0 ? (
        <p className="small muted">{none}</p>
      ) : (
        <ol className="card padded stack tight violation-history">
          {events.data.items.map((e) => (
            <li key={e.id} className="small">
              <Text of={e.actor.type === "system" ? system : e.actor.display} /> {actions[e.action] ?? e.action}
              {e.reason && (
                <>
                  : <q dir="auto">{e.reason}</q>
                </>
              )}{" "}
              <span className="muted">
                <When at={e.time} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Part>
  );
}
