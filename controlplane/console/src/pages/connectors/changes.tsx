import { useSearch } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useState } from "react";
import * as text from "#text/syncruns";
import { download } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Button, Text } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { showRefusal } from "../../kit/toast";
import type { Change } from "./change";
import { previewValue } from "./preview";
import { Release } from "./release";

export type { Change };

const objects = [
  ["identity", text.peopleLower],
  ["account", text.accountsLower],
  ["entitlement", text.groupsAndRolesLower],
  ["grant", text.grantsLower],
  ["nesting", text.nestedGroupsLower],
] as const;

const states = ["pending", "applied", "held", "previewed", "skipped", "discarded"].map((s) => [s, s] as const);

const wordsOf = (list: readonly (readonly [string, string])[], key: string) => list.find(([k]) => k === key)?.[1] ?? key;

const columns: Column<Change>[] = [
  { title: text.change, cell: (c) => <ChangeSign of={c.change} /> },
  { title: text.object, cell: (c) => wordsOf(objects, c.object) },
  { title: text.name, cell: (c) => <Text of={c.display || c.external_id} /> },
  { title: text.difference, wide: true, cell: (c) => <Before of={c} /> },
  { title: text.location, cell: (c) => <Text of={c.department ?? c.container} /> },
  {
    title: text.state,
    cell: (c) => (
      <>
        <State of={c.state} tone={c.state === "applied" ? "ok" : c.state === "held" ? "warn" : "neutral"} />{" "}
        {c.reason && <span className="small muted">{c.reason.replaceAll("_", " ")}</span>}
      </>
    ),
  },
];

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.added, query: { change: "create,reappear" } },
  { name: text.changed, query: { change: "update,disable" } },
  { name: text.removed, query: { change: "missing,remove" } },
  { name: text.held, query: { state: "held" } },
];

const filters = [
  { name: "object", words: text.kind, options: objects },
  { name: "state", words: text.state, options: states },
];

/** Everything that a run changed, or would change. */
export function Changes({ of: run }: { of: Of<"Run"> }) {
  const may = useMay();
  const [chosen, setChosen] = useState<Change[]>();
  const deciding = run.status === "held" && may.admin;
  const holding = useGet<Of<"Holding">>(`/connectors/${run.connector_id}/sync-runs/${run.id}/holds`, {}, { enabled: deciding });
  const at = useSearch({ strict: false }) as Record<string, string | undefined>;
  const path = `/connectors/${run.connector_id}/sync-runs/${run.id}/changes`;
  const query = { object: at.object, change: at.change, state: at.state, q: at.q };
  return (
    <div className="stack tight">
      <div className="row end">
        <Csv path={`${path}.csv`} query={query} name={`run-${run.id}-changes.csv`} />
      </div>
      <List<Change>
        path={path}
        idOf={(c) => String(c.n)}
        columns={columns}
        views={views}
        filters={filters}
        search={text.namesAndKeys}
        label={text.changes}
        {...(deciding ? { bulk: (rows: Change[]) => <ReleaseThese of={rows} act={setChosen} /> } : {})}
        empty={nothing(run.status)}
      />
      {chosen && holding.data && <Release run={run} holding={holding.data} chosen={chosen} close={() => setChosen(undefined)} />}
    </div>
  );
}

function ReleaseThese({ of, act }: { of: Change[]; act: (held: Change[]) => void }) {
  const held = of.filter((c) => c.state === "held");
  return (
    <Button disabled={held.length === 0} onClick={() => act(held)}>
      {held.length === 0 ? text.noHeldChanges : text.releaseChanges(held.length)}
    </Button>
  );
}

function Csv({ path, query, name }: { path: string; query: Record<string, string | undefined>; name: string }) {
  const [busy, setBusy] = useState(false);
  const write = async () => {
    setBusy(true);
    await download(path, name, { query }).catch(showRefusal);
    setBusy(false);
  };
  return (
    <Button reads disabled={busy} onClick={() => void write()} title={text.exportTheFilteredListAsCsv}>
      <Download aria-hidden size={15} /> {text.csv}
    </Button>
  );
}

const signs: Record<string, [string, string]> = {
  create: ["+", "new"],
  reappear: ["+", "back"],
  update: ["~", "changed"],
  disable: ["~", "disabled"],
  missing: ["−", "missing"],
  remove: ["−", "gone"],
};

/** What kind of change it is, by sign, colour and word. */
export function ChangeSign({ of }: { of: string }) {
  const [sign, words] = signs[of] ?? ["~", of];
  const tone = sign === "+" ? "add" : sign === "−" ? "gone" : "other";
  return (
    <span className={`badge connectors-sign ${tone}`}>
      <span aria-hidden>{sign}</span> {words}
    </span>
  );
}

function Before({ of: c }: { of: Change }) {
  const before = (c.before ?? {}) as Record<string, unknown>;
  const after = (c.after ?? {}) as Record<string, unknown>;
  const named = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (f) => f !== "missing_runs" && previewValue(before[f]) !== previewValue(after[f]),
  );
  const rest = c.fields.filter((f) => !named.includes(f));
  return (
    <span className="small">
      {named.slice(0, 6).map((f) => (
        <span key={f}>
          <span className="muted">{f.replaceAll("_", " ")}: </span>
          {previewValue(before[f]) && (
            <>
              <bdi className="connectors-removed-mapping">{previewValue(before[f]).slice(0, 120)}</bdi> →{" "}
            </>
          )}
          <bdi>{previewValue(after[f]).slice(0, 120) || text.nothing}</bdi>
          {"  "}
        </span>
      ))}
      {rest.length > 0 && <span className="muted">{rest.join(", ").slice(0, 200)}</span>}
    </span>
  );
}

/** Why there is no change: a run that came to its end has found none; of another it cannot be said. */
function nothing(status: string) {
  if (status === "succeeded") return { title: text.noChanges, words: text.theSystemContainsWhatWasSynced };
  return {
    title: text.noChangesApplied,
    words: text.thisSyncRunHasNotCompleted,
  };
}
