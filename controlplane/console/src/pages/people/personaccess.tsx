import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ArrowLeftRight } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import * as text from "#text/people";
import { fetchPages } from "../../api/client";
import type { Grant, IdentityDetail } from "../../api/types";
import { dayOf } from "../../kit/day";
import { DayFilter } from "../../kit/dayinput";
import { SearchBox } from "../../kit/filters";
import { Button, Empty, Failure, Note, Part, Skeleton, Table, Text, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { State } from "../../kit/state";
import { type InSystem, System, systemOf, useSystems } from "../../kit/systems";
import { ExplainAccess } from "./explain";
import { AccessGraph } from "./graph";
import { PersonRoles } from "./personroles";
import { Why } from "./why";
import { basisOf, dayWords, matches, reasonsOf } from "./words";

const most = 2000;
const page = 50;
const standings = [
  ["native", text.unmanaged],
  ["orphaned", text.orphanAccount],
  ["ending", text.ending],
  ["approved", text.approved],
  ["implied", text.fromAPolicyOrRole],
] as const;

/** What somebody holds, and why: as a picture, and as a table that says the same. */
export function PersonAccess({ of: p }: { of: IdentityDetail }) {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useGo();
  const go = (change: Record<string, string | undefined>) =>
    void navigate({ to: ".", search: { ...search, ...change }, resetScroll: false, replace: true });
  const asOf = search.as_of;
  const path = `/identities/${p.id}/grants`;
  const query = { as_of: asOf, expand: "paths" };
  const held = useQuery({
    queryKey: [path, query, "all"],
    queryFn: async ({ signal }) => {
      let total = 0;
      const rows = await fetchPages<Grant>(path, query, most, (_, n) => (total = n), signal);
      return { rows, total };
    },
  });
  const q = useDeferredValue(search.q ?? "");
  const shown = useMemo(
    () =>
      (held.data?.rows ?? []).filter(
        (g) =>
          (!q || matches(g, q)) &&
          (!search.system || g.connector_id === search.system) &&
          (!search.standing || g.compliance_status === search.standing),
      ),
    [held.data, q, search.system, search.standing],
  );
  return (
    <>
      <Tools rows={held.data?.rows ?? []} search={search} go={go} person={p} />
      {asOf && <Note>{text.accessAsOf(dayWords(asOf))}</Note>}
      {held.isError ? (
        <Failure error={held.error} retry={() => void held.refetch()} />
      ) : held.isPending ? (
        <Skeleton rows={8} />
      ) : held.data.rows.length === 0 ? (
        <Empty title={asOf ? text.noAccessOnThatDay : text.noAccess}>{text.noAccessIsVisibleToYou}</Empty>
      ) : shown.length === 0 ? (
        <Empty title={text.noResultsMatchTheseFilters}>
          <Button reads onClick={() => go({ q: undefined, system: undefined, standing: undefined })}>
            {text.clearFilters}
          </Button>
        </Empty>
      ) : (
        <>
          <AccessGraph of={shown} person={p.display_name || p.email || text.they} open={(grant) => go({ why: grant })} />
          <HeldTable of={shown} all={held.data.rows} past={Boolean(asOf)} open={(grant) => go({ why: grant })} />
          {held.data.total > held.data.rows.length && (
            <p className="small muted">
              {text.theFirstCountOfTotal(held.data.rows.length.toLocaleString("en"), held.data.total.toLocaleString("en"))}
            </p>
          )}
        </>
      )}
      {!asOf && <PersonRoles of={p.id} />}
      <Why grant={search.why} close={() => go({ why: undefined })} />
    </>
  );
}

type ToolsProps = {
  rows: Grant[];
  search: Record<string, string | undefined>;
  go: (change: Record<string, string | undefined>) => void;
  person: IdentityDetail;
};

function Tools({ rows, search, go, person }: ToolsProps) {
  const names = useSystems();
  const [asking, setAsking] = useState(false);
  const systems = new Map(rows.flatMap((g) => named(g, names)));
  return (
    <div className="row between filters">
      <div className="row">
        <SearchBox what={text.accessAndReasons} value={search.q ?? ""} onChange={(q) => go({ q: q || undefined })} />
        {systems.size > 1 && <Choice words={text.system} value={search.system} set={(system) => go({ system })} of={[...systems]} />}
        <Choice words={text.basis} value={search.standing} set={(s) => go({ standing: s })} of={standings} />
        <DayFilter
          words={text.asOf}
          max={dayOf(new Date().toISOString())}
          value={search.as_of ?? ""}
          set={(day) => go({ as_of: day || undefined, why: undefined })}
        />
        {search.as_of && (
          <Button reads onClick={() => go({ as_of: undefined })}>
            {text.backToToday}
          </Button>
        )}
      </div>
      <div className="row">
        <Button reads onClick={() => setAsking(true)}>
          {text.explainAccess}
        </Button>
        <Link to="/people/compare" search={{ a: person.id, as_of: search.as_of }} className="button">
          <ArrowLeftRight aria-hidden size={15} /> {text.compare}
        </Link>
      </div>
      <ExplainAccess of={person} open={asking} close={() => setAsking(false)} />
    </div>
  );
}

/** The system of a grant by its id, where it can be named. */
function named(g: InSystem & { connector_id: string }, names: Map<string, string>): [string, string][] {
  const name = systemOf(g, names);
  return name ? [[g.connector_id, name]] : [];
}

function Choice({
  words,
  value,
  set,
  of,
}: {
  words: string;
  value: string | undefined;
  set: (v: string | undefined) => void;
  of: readonly (readonly [string, string])[];
}) {
  return (
    <label className={`filter${value ? " on" : ""}`}>
      <span>{words}</span>
      <select data-reads="" value={value ?? ""} onChange={(e) => set(e.target.value || undefined)}>
        <option value="">{text.any}</option>
        {of.map(([v, w]) => (
          <option key={v} value={v}>
            {w}
          </option>
        ))}
      </select>
    </label>
  );
}

function HeldTable({ of, all, past, open }: { of: Grant[]; all: Grant[]; past: boolean; open: (grant: string) => void }) {
  const [pages, setPages] = useState(1);
  const systems = useSystems();
  const names = useMemo(() => new Map(all.map((g) => [g.entitlement_id, g.entitlement.display])), [all]);
  const named = all.some((g) => systemOf(g, systems));
  return (
    <Part title={text.access}>
      <Table label={text.accessAndItsBasis}>
        <thead>
          <tr>
            <th scope="col">{text.access}</th>
            <th scope="col">{text.account}</th>
            {named && <th scope="col">{text.system}</th>}
            <th scope="col">{text.path}</th>
            <th scope="col">{text.basis}</th>
            <th scope="col">{text.since}</th>
            <th scope="col">{text.ends}</th>
            {!past && (
              <th scope="col">
                <span className="sr">{text.reason}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {of.slice(0, pages * page).map((g) => {
            const s = basisOf(g);
            return (
              <tr key={g.id}>
                <td>
                  <Link to="/access/$id" params={{ id: g.entitlement_id }}>
                    <Text of={g.entitlement.display} />
                  </Link>
                </td>
                <td>
                  <Link to="/accounts/$id" params={{ id: g.account_id }}>
                    <Text of={g.account.display} />
                  </Link>
                </td>
                {named && (
                  <td>
                    <System of={g} names={systems} />
                  </td>
                )}
                <td>
                  <Text
                    of={reasonsOf(g, names)
                      .map((w) => w.words)
                      .join("; ")}
                  />
                </td>
                <td>
                  <State of={s.words} tone={s.tone} />
                </td>
                <td>
                  <When at={g.held_since ?? g.granted_at ?? g.first_seen_at} />
                </td>
                <td>
                  <When at={past ? g.held_until : g.ends_at} none="" />
                </td>
                {!past && (
                  <td>
                    <Button
                      reads
                      tone="quiet"
                      aria-label={text.whyEntitlement(g.entitlement.display.slice(0, 80))}
                      onClick={() => open(g.id)}
                    >
                      {text.why}
                    </Button>
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </Table>
      {of.length > pages * page && (
        <div className="row">
          <Button reads onClick={() => setPages(pages + 1)}>
            {text.showMinMoreOfCount(Math.min(page, of.length - pages * page), of.length.toLocaleString("en"))}
          </Button>
        </div>
      )}
    </Part>
  );
}
