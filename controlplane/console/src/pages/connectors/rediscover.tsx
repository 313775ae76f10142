import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import * as text from "#text/mappings";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Button, Empty, Failure, Head, Note, Part, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import "./connectors.css";
import { type Decisions, DiffTable, keyOf, rowsOf } from "./difftable";
import { TargetError } from "./target";
import { n } from "./words";

type Diff = Of<"SchemaDiff">;
type RediscoveryResult = Of<"Rediscovery">;

/** What has changed in the fields of the source, and what is to be done about each. */
export default function Rediscover() {
  const { id } = useParams({ strict: false }) as { id: string };
  const may = useMay();
  const connector = useGet<Connector>(`/connectors/${id}`);
  const diffs = useGet<{ items: Diff[] }>(`/connectors/${id}/schema-diffs`, { limit: 20 });
  const [looked, setLooked] = useState<RediscoveryResult>();
  const look = useAct({
    act: (_, key) => ask<RediscoveryResult>("POST", `/connectors/${id}/rediscover`, { key, body: {} }),
    changes: [`/connectors/${id}`],
    after: setLooked,
  });
  if (connector.isPending || diffs.isPending) return <Skeleton rows={6} />;
  if (!connector.data || !diffs.data)
    return <Failure page error={connector.error ?? diffs.error} retry={() => void Promise.all([connector.refetch(), diffs.refetch()])} />;
  const open = diffs.data.items.find((d) => d.state === "open");
  return (
    <>
      <Head
        up={
          <>
            <Link to="/connectors">{text.connectors}</Link> ·{" "}
            <Link to="/connectors/$id/$tab" params={{ id, tab: "mapping" }}>
              <Text of={connector.data.name} />
            </Link>
          </>
        }
        title={text.schemaChangesOfName(connector.data.name)}
        lead={open ? text.discoveredCreatedAtSyncsUseThe(<When at={open.created_at} />) : text.comparesTheFieldsOfTheSource}
      >
        {may.admin && (
          <Button disabled={look.isPending} tone={open ? "plain" : "primary"} onClick={() => look.mutate()}>
            {look.isPending ? text.runningDiscovery : open ? text.runDiscoveryAgain : text.runDiscovery}
          </Button>
        )}
      </Head>
      {looked && <Outcome of={looked} />}
      {open ? (
        <Deciding key={`${open.id} ${open.version}`} of={open} connector={id} />
      ) : (
        (!looked || looked.diff) && (
          <Empty title={text.noOpenDecisions}>
            {may.admin ? text.runDiscoveryToFindAddedRemoved : text.administratorsCanRunDiscoveryAndCompare}
          </Empty>
        )
      )}
      <Earlier of={diffs.data.items.filter((d) => d.state !== "open")} />
    </>
  );
}

function Outcome({ of: l }: { of: RediscoveryResult }) {
  if (!l.success)
    return (
      <Note tone="bad">
        <div role="status">
          <p>{text.discoveryFailed}</p>
          {l.error && <TargetError of={l.error} />}
        </div>
      </Note>
    );
  return l.diff ? null : (
    <Note tone="ok">
      <span role="status">{text.noFieldHasChanged}</span>
    </Note>
  );
}

/** The open comparison: decisions are made here and carried out together. */
function Deciding({ of: diff, connector }: { of: Diff; connector: string }) {
  const may = useMay();
  const [made, setMade] = useState<Decisions>({});
  const [leaving, setLeaving] = useState(false);
  const rows = rowsOf(diff);
  const waiting = rows.filter((r) => !r.decided);
  const left = waiting.filter((r) => !made[r.key]);
  const decide = useAct({
    act: (body: Of<"SchemaDecisions">, key) =>
      ask<Diff>("POST", `/connectors/${connector}/schema-diffs/${diff.id}/decide`, { key, body, ifMatch: diff.version }),
    changes: [`/connectors/${connector}`],
    done: (d) => (d.undecided > 0 ? text.appliedOpenDecisionsLeft(d.undecided) : text.appliedTheNextSyncIsA),
  });
  const apply = () => {
    const decisions = waiting.flatMap((r) => (made[r.key] ? [{ object: r.object, path: r.path, ...made[r.key] }] : []));
    decide.mutate({ decisions } as Of<"SchemaDecisions">);
  };
  const acceptAll = () => setMade({ ...Object.fromEntries(waiting.map((r) => [r.key, { decision: "accept" as const }])), ...made });
  const chosen = waiting.length - left.length;
  return (
    <>
      <div className="row between">
        <p className="muted">{text.newFieldsNRemovedN2With(diff.added.length, n(diff.removed.length), n(diff.type_changed.length))}</p>
        {may.admin && (
          <div className="row">
            <Button tone="quiet" onClick={() => setLeaving(true)}>
              {text.keepAllMappingsEllipsis}
            </Button>
            <Button disabled={left.length === 0} onClick={acceptAll}>
              {text.acceptAll}
            </Button>
            <Button tone="primary" disabled={chosen === 0 || decide.isPending} onClick={apply}>
              {chosen === 0
                ? text.nToDecide(n(left.length))
                : left.length > 0
                  ? text.applyNLeaveN2Open(n(chosen), n(left.length))
                  : text.applyDecisions(chosen)}
            </Button>
          </div>
        )}
      </div>
      <DiffTable
        connector={connector}
        rows={rows}
        made={made}
        set={may.admin ? (key, d) => setMade(d ? { ...made, [key]: d } : without(made, key)) : undefined}
      />
      <ConfirmDialog
        open={leaving}
        close={() => setLeaving(false)}
        title={text.keepAllMappings}
        lead={text.openDecisionsAreDroppedAndThis}
        verb={text.keepAll}
        act={() => decide.mutateAsync({ dismiss: true })}
      />
    </>
  );
}

const without = (of: Decisions, key: string): Decisions => Object.fromEntries(Object.entries(of).filter(([k]) => k !== key));

function Earlier({ of }: { of: Diff[] }) {
  if (of.length === 0) return null;
  return (
    <Part title={text.earlierComparisons}>
      {of.map((d) => (
        <details key={d.id} className="card padded">
          <summary data-reads="">
            {text.createdAtNNewN2Removed(
              <When at={d.created_at} />,
              n(d.added.length),
              n(d.removed.length),
              n(d.type_changed.length),
              <State of={d.state} tone="neutral" words={d.replaced_by_id ? text.replacedByALaterDiscovery : undefined} />,
            )}
          </summary>
          <ul>
            {rowsOf(d).map((r) => (
              <li key={keyOf(r)}>
                <span aria-hidden>{r.sign}</span> <code>{r.path}</code>{" "}
                <span className="muted">{r.decided ? text.decisionByByLower(r.decided.decision, r.decided.by) : text.kept}</span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </Part>
  );
}
