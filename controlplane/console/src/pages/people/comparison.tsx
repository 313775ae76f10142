import * as text from "#text/people";
import type { Query } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Differences } from "../../kit/diff";
import { Failure, Note, Part, Skeleton, Table, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { systemOf, useSystems } from "../../kit/systems";
import { wordsOf } from "./fields";
import { PersonById } from "./personbyid";

type Comparison = Of<"HistoryComparison">;
type Holding = Of<"HistoryHolding">;

/** Two people, or one at two times, in three columns: only the first, both, only the second. */
export function AccessComparison({ path, query, titles }: { path: string; query: Query; titles?: [string, string, string] }) {
  const all = useGet<Comparison>(path, query);
  if (all.isError) return <Failure error={all.error} retry={() => void all.refetch()} />;
  if (all.isPending) return <Skeleton rows={6} />;
  const c = all.data;
  const names = titles ?? [text.onlyIdentity(c.first.identity.display), text.both, text.onlyIdentity(c.second.identity.display)];
  const unknown = [c.first, c.second].filter((s) => !s.known);
  const same = c.entitlements.first_only.length + c.entitlements.second_only.length === 0;
  return (
    <div className="stack">
      {unknown.length > 0 ? (
        <Note tone="warn">
          {titles || unknown.length === 1
            ? text.unknownWasNotRecordedAtThat(<bdi>{text.andList(unknown.map((s) => s.identity.display))}</bdi>)
            : text.unknownWereNotRecordedAtThat(<bdi>{text.andList(unknown.map((s) => s.identity.display))}</bdi>)}
        </Note>
      ) : (
        <p role="status" dir="auto">
          {c.summary} {same && text.theAccessOfBothPeopleIs}
        </p>
      )}
      <div className="three">
        <Side title={names[0]} of={c.entitlements.first_only} roles={c.roles.first_only} sign="−" />
        <Side title={names[1]} of={c.entitlements.both} roles={c.roles.both} sign="" />
        <Side title={names[2]} of={c.entitlements.second_only} roles={c.roles.second_only} sign="+" />
      </div>
      {(c.record ?? []).length > 0 && (
        <Part title={text.differencesBetweenTheRecords}>
          {titles ? (
            <Differences of={c.record.map((r) => ({ field: wordsOf(r.field), from: r.before, to: r.after, hidden: r.hidden }))} />
          ) : (
            <FieldComparison of={c} />
          )}
        </Part>
      )}
      <p className="small muted">{text.historyIsKeptSinceHistorySince(<When at={c.history_since} />)}</p>
    </div>
  );
}

/** Fields in which two people differ. Neither of them is what the other was: nothing is marked as gone or new. */
function FieldComparison({ of: c }: { of: Comparison }) {
  const shownValue = (v: unknown, hidden: boolean) =>
    hidden ? text.notVisible : v === null || v === undefined || v === "" ? "" : typeof v === "object" ? JSON.stringify(v) : String(v);
  return (
    <Table label={text.differencesBetweenTheRecords}>
      <thead>
        <tr>
          <th scope="col">{text.field}</th>
          {[c.first, c.second].map((s) => (
            <th scope="col" key={s.identity.id}>
              <bdi>{s.identity.display}</bdi>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {c.record.map((r) => (
          <tr key={r.field}>
            <th scope="row">{r.field === "manager_id" ? text.manager : wordsOf(r.field)}</th>
            {[r.before, r.after].map((v, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the first and the second person
              <td key={i} className="tall">
                {r.field === "manager_id" && typeof v === "string" ? (
                  <PersonById id={v} />
                ) : (
                  <Text of={shownValue(v, r.hidden ?? false)} none={text.empty} />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

const most = 200;

function Side({ title, of, roles, sign }: { title: string; of: Holding[]; roles: Of<"Reference">[]; sign: string }) {
  const names = useSystems();
  return (
    <section className="card padded stack tight">
      <h2 dir="auto">
        {title} <span className="count muted">{of.length.toLocaleString("en")}</span>
      </h2>
      {roles.length > 0 && (
        <p className="small muted">
          {roles.length === 1 ? text.role : text.roles}: <bdi>{roles.map((r) => r.display).join(", ")}</bdi>
        </p>
      )}
      {of.length === 0 && <p className="muted small">{text.none}</p>}
      <ul className="stack tight">
        {of.slice(0, most).map((h) => (
          <li key={h.entitlement.id} className="small">
            {sign && <span aria-hidden>{sign} </span>}
            <Link to="/access/$id" params={{ id: h.entitlement.id }} className="person-link">
              <bdi>{h.entitlement.display}</bdi>
            </Link>{" "}
            <span className="muted">
              {systemOf(h, names)}
              {h.directness === "inherited" && <> {text.throughAGroup}</>}
            </span>
          </li>
        ))}
        {of.length > most && <li className="small muted">{text.andCountMore((of.length - most).toLocaleString("en"))}</li>}
      </ul>
    </section>
  );
}
