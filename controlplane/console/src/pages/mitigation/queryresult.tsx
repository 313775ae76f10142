import * as text from "#text/mitigation";
import type { Of } from "../../api/types";
import { When } from "../../kit/kit";

type Result = Of<"MitigationQueryResult">;

/** What keeps a query from being answered. */
export function ProblemList({ of }: { of: Result["problems"] }) {
  return (
    <ul className="small muted">
      {of.map((p) => (
        <li key={p.code + p.detail}>{p.detail}</li>
      ))}
    </ul>
  );
}

/** The answer to a stored query: numbers, examples, sources and problems. */
export function QueryResult({ of: r, hidden }: { of: Result; hidden: number }) {
  return (
    <div className="stack tight small">
      {r.sentence && <q dir="auto">{r.sentence}</q>}
      <p className="muted">
        {text.foundOf(r.found, r.looked_at)} {r.unknown > 0 && text.undecided(r.unknown)} {text.versionAsked(r.control_version)}
      </p>
      {r.problems.length > 0 && <ProblemList of={r.problems} />}
      {r.examples.length > 0 && (
        <ul aria-label={text.examples}>
          {r.examples.map((e) => (
            <li key={e.id}>
              <bdi>{e.display}</bdi>
              {e.type !== "identity" && e.display !== e.identity.display && (
                <span className="muted">
                  {" "}
                  (<bdi>{e.identity.display}</bdi>)
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && <p className="muted">{text.hiddenExamples(hidden)}</p>}
      {r.sources.length > 0 && (
        <ul aria-label={text.sources} className="muted">
          {r.sources.map((s) => (
            <li key={s.id}>
              {s.last_full_sync_at
                ? text.syncedAt(<bdi key="s">{s.display}</bdi>, <When key="w" at={s.last_full_sync_at} />)
                : text.neverSynced(<bdi key="s">{s.display}</bdi>)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
