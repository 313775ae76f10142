import * as text from "#text/audit";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { Differences } from "../../kit/diff";
import { Id, Verbatim } from "../../kit/elements";
import { Badge, Button, Facts, Failure, Note, Skeleton, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Outcome } from "./line";
import { type AuditFilters, placeOf } from "./words";

type Event = Of<"Event">;
type Props = { id: string | undefined; close: () => void; search: AuditFilters; go: (next: AuditFilters) => void };

/** One entry whole: in words, what it changed, and as it was written. */
export function Entry({ id, close, search, go }: Props) {
  const entry = useGet<Event>(`/audit-events/${id}`, {}, { enabled: Boolean(id) });
  return (
    <Dialog side open={Boolean(id)} close={close} title={entry.data?.action ?? text.entry} lead={<ActionMeaning of={entry.data?.action} />}>
      {entry.isError ? (
        <Failure error={entry.error} retry={() => void entry.refetch()} />
      ) : entry.isPending ? (
        <Skeleton rows={6} />
      ) : (
        <EntryDetail of={entry.data} search={search} go={go} />
      )}
    </Dialog>
  );
}

function ActionMeaning({ of }: { of: string | undefined }) {
  const catalog = useGet<Of<"CatalogOutBody">>("/audit-events/catalog");
  return <>{catalog.data?.items.find((a) => a.action === of)?.meaning}</>;
}

function EntryDetail({ of: e, search, go }: { of: Event; search: AuditFilters; go: (next: AuditFilters) => void }) {
  const request = String((e.context as Record<string, unknown> | undefined)?.request_id ?? "");
  const only = (change: AuditFilters) => () => go({ from: search.from ?? "", to: search.to ?? "", ...change });
  const changes = (e.changes ?? []).map((c) => ({ field: c.field, from: c.before, to: c.after, hidden: c.redacted }));
  return (
    <div className="stack">
      <Facts
        of={[
          [text.time, <When key="at" at={e.time} />],
          [text.outcome, <Outcome key="out" of={e.outcome} />],
          [text.actor, <SubjectLink key="who" type={e.actor.type} id={e.actor.id} display={e.actor.display} />],
          [text.role, (e.actor.roles ?? []).map((r) => r.replaceAll("_", " ")).join(", ")],
          [text.onBehalfOf, e.acting_for && <SubjectLink key="for" {...e.acting_for} />],
          [text.from, e.actor.ip],
          [text.client, e.actor.user_agent && <bdi key="ua">{e.actor.user_agent.slice(0, 300)}</bdi>],
          [text.subject, e.subject && <SubjectLink key="what" {...e.subject} />],
          [text.reason, e.reason && <bdi key="why">{e.reason}</bdi>],
          [text.numberLabel, String(e.seq)],
        ]}
      />
      {e.on_behalf_of_tenant && (
        <Note tone="warn">
          {e.on_behalf_of_tenant.reason ? text.doneByAServiceOperatorBecause(e.on_behalf_of_tenant.reason) : text.doneByAServiceOperator}
        </Note>
      )}
      {(e.objects ?? []).length > 0 && (
        <section className="stack tight">
          <h3>{text.affectedObjects}</h3>
          <ul className="small">
            {(e.objects ?? []).slice(0, 50).map((o) => (
              <li key={`${o.type}${o.id}`}>
                <Badge>{o.type.replaceAll("_", " ")}</Badge> <SubjectLink {...o} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="stack tight">
        <h3>{text.changes}</h3>
        <Differences of={changes} none={text.thisEntryRecordsNoFieldChanges} />
      </section>
      <div className="row">
        {e.actor.id && (
          <Button reads onClick={only({ actor: e.actor.id })}>
            {text.allEntriesByThisActor}
          </Button>
        )}
        {e.subject && (
          <Button reads onClick={only({ object: e.subject.id, object_type: e.subject.type })}>
            {text.allEntriesAboutThisSubject}
          </Button>
        )}
        {request && (
          <Button reads onClick={only({ request })}>
            {text.sameRequest}
          </Button>
        )}
      </div>
      {request && <p className="small">{text.requestRequest(<Id of={request} />)}</p>}
      <section className="stack tight">
        <h3>{text.rawEntry}</h3>
        <Verbatim label={text.entryAsJson} copy>
          {JSON.stringify(e, null, 2)}
        </Verbatim>
      </section>
    </div>
  );
}

/** Something that an entry names, as a link where it can be opened. */
function SubjectLink({ type, id, display }: { type: string; id?: string | undefined; display?: string | undefined }) {
  const place = placeOf(type);
  const words = display || id || (type === "system" ? text.theService : type);
  if (!place || !id) return <bdi>{words}</bdi>;
  return (
    <Link to={place as "/people/$id"} params={{ id }} className="audit-link">
      <bdi>{words}</bdi>
    </Link>
  );
}
