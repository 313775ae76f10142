import { useQueries } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { Fragment } from "react";
import * as text from "#text/people";
import { ask, type Page } from "../../api/client";
import type { Entitlement, Grant } from "../../api/types";
import { useGet } from "../../api/use";
import { Link } from "../../kit/link";
import { nameOf } from "../access/words";
import { pathsOf } from "./words";

/** The groups through which a grant is inherited, step by step, and the one that has to be revoked to end it. */
export function Paths({ grant }: { grant: Grant }) {
  const paths = pathsOf(grant);
  const names = useNames(grant, [...new Set(paths.flat())]);
  if (paths.length === 0) return null;
  const first = [...new Set(paths.map((p) => p[0] ?? ""))];
  return (
    <section className="stack tight" aria-label={text.path}>
      <h3>{paths.length === 1 ? text.path : text.paths}</h3>
      <ul className="stack tight">
        {paths.map((path) => (
          <li key={path.join()} className="reason grant-path">
            <Link to="/accounts/$id" params={{ id: grant.account_id }}>
              <bdi>{grant.account.display}</bdi>
            </Link>
            {path.map((id) => (
              <Fragment key={id}>
                <span aria-hidden>→</span>
                <Link to="/access/$id" params={{ id }}>
                  <bdi>{names.get(id) ?? text.anotherGroup}</bdi>
                </Link>
              </Fragment>
            ))}
          </li>
        ))}
      </ul>
      {(grant.hidden_paths ?? 0) > 0 && <p className="small muted">{text.hiddenPathsMorePathsThroughGroups(grant.hidden_paths)}</p>}
      {grant.directness === "inherited" && (
        <p className="small">
          {text.toRemoveThisAccessRevoke(
            first.map((id, i) => (
              <Fragment key={id}>
                {i > 0 && text.andBetween}
                <Source grant={grant} id={id} name={names.get(id) ?? text.theGroup} />
              </Fragment>
            )),
          )}
        </p>
      )}
    </section>
  );
}

/** The grant that brings the inherited one, as a link to its own explanation, from where it can be revoked. */
function Source({ grant, id, name }: { grant: Grant; id: string; name: string }) {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const found = useGet<Page<Grant>>("/entitlements/grants", { account_id: grant.account_id, entitlement_id: id, limit: 1 });
  const why = found.data?.items[0]?.id;
  if (!why)
    return (
      <Link to="/access/$id" params={{ id }}>
        <bdi>{name}</bdi>
      </Link>
    );
  return (
    <Link to="." search={{ ...search, why }} resetScroll={false}>
      <bdi>{name}</bdi>
    </Link>
  );
}

/** The names of entitlements by their id; what the reader may not see has none. */
function useNames(grant: Grant, ids: string[]): Map<string, string> {
  const read = ids.filter((id) => id !== grant.entitlement_id);
  const found = useQueries({
    queries: read.map((id) => ({
      queryKey: [`/entitlements/${id}`, {}],
      queryFn: ({ signal }: { signal: AbortSignal }) => ask<Entitlement>("GET", `/entitlements/${id}`, { signal }),
    })),
  });
  const names = new Map([[grant.entitlement_id, grant.entitlement.display]]);
  for (const one of found) if (one.data) names.set(one.data.id, nameOf(one.data));
  return names;
}
