import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { Check } from "../../kit/form";
import { Button, Empty, Failure, Note, Skeleton, Table, Text } from "../../kit/kit";
import { State } from "../../kit/state";
import { type Kind, kinds, kindWords } from "./kinds";
import { AddMapping } from "./mapadd";
import { CopyMappings } from "./mapcopy";
import { EditMapping } from "./mapedit";
import { n } from "./words";

type Mappings = Of<"Mappings">;
type One = Of<"ConnectorMapping">;

const rules: Record<string, string> = {
  exact: "exact name",
  synonym: "synonym",
  type_shape: "type and shape",
  vendor_template: "vendor's template",
  scim_extension: "SCIM enterprise extension",
  sector_pack: "sector pack",
  manual: "by hand",
  copied: "copied",
};

/** What becomes of each field of the source. */
export default function MappingTab({ of: c }: { of: Connector }) {
  const may = useMay();
  const [only, setOnly] = useState(false);
  const [kind, setKind] = useState<Kind>();
  const [edited, setEdited] = useState<One>();
  const [adding, setAdding] = useState(false);
  const [copying, setCopying] = useState(false);
  const found = useGet<Mappings>(`/connectors/${c.id}/mappings`);
  const looked = Boolean(found.data?.schema_snapshot_id);
  const schema = useGet<Of<"SchemaSnapshot">>(`/connectors/${c.id}/schema`, {}, { enabled: looked });
  if (found.isPending || (looked && schema.isPending)) return <Skeleton rows={8} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const all = found.data.mappings;
  const narrowed = all.some((m) => m.object === kind) ? kind : undefined;
  const shown = all.filter((m) => (!only || m.action === "map") && (!narrowed || m.object === narrowed));
  const samples = samplesOf(schema.data);
  if (all.length === 0) return <Undecided of={c} looked={looked} />;
  return (
    <>
      <div className="row between">
        <p className="muted">
          {n(all.filter((m) => m.action === "map").length)} of {n(all.length)} fields are mapped. After a change, the next sync is a full
          sync.
        </p>
        <div className="row">
          <Check reads label="Hide ignored fields" value={only} set={setOnly} />
          <Link to={"/connectors/$id/rediscover" as never} params={{ id: c.id } as never} className="button">
            Schema changes
          </Link>
          {may.admin && <Button onClick={() => setCopying(true)}>Copy from another connector</Button>}
          {may.admin && schema.data && <Button onClick={() => setAdding(true)}>Map a field</Button>}
        </div>
      </div>
      <Kinds of={all} chosen={narrowed} choose={setKind} />
      <Table label="Mappings">
        <thead>
          <tr>
            <th scope="col">Of</th>
            <th scope="col">Source field</th>
            <th scope="col">Sample</th>
            <th scope="col">Mapped to</th>
            <th scope="col">Found by</th>
            <th scope="col">Transform</th>
            {may.admin && (
              <th scope="col">
                <span className="sr">Change</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((m) => (
            <tr key={m.id}>
              <td>{kindWords[m.object as Kind].toLowerCase()}</td>
              <td>
                <code>
                  <Text of={m.source_path} />
                </code>
              </td>
              <td className="faint">
                <Text of={samples.get(`${m.object} ${m.source_path}`)} none="—" />
              </td>
              <td>{m.action === "ignore" ? <span className="faint">ignored</span> : <code>{m.target_field}</code>}</td>
              <td title={m.note}>
                {m.overridden ? <State of="manual" tone="neutral" words="by hand" /> : (rules[m.heuristic ?? ""] ?? "—")}
              </td>
              <td>
                {m.transform ? (
                  <code>
                    <Text of={m.transform} />
                  </code>
                ) : (
                  <span className="faint">none</span>
                )}
              </td>
              {may.admin && (
                <td>
                  <Button tone="quiet" onClick={() => setEdited(m)} aria-label={`Edit the mapping of ${m.source_path}`}>
                    Edit
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </Table>
      {edited && <EditMapping of={c} mapping={edited} among={found.data} close={() => setEdited(undefined)} />}
      {adding && schema.data && <AddMapping of={c} mappings={found.data} schema={schema.data} close={() => setAdding(false)} />}
      <CopyMappings of={c} version={found.data.mapping_version} open={copying} close={() => setCopying(false)} />
    </>
  );
}

/** Narrows the table to one kind of record, where there are several. */
function Kinds({ of, chosen, choose }: { of: One[]; chosen: Kind | undefined; choose: (k: Kind | undefined) => void }) {
  const there = kinds.filter((k) => of.some((m) => m.object === k));
  if (there.length < 2) return null;
  const chip = (k: Kind | undefined, words: string, n: number) => (
    <button key={words} type="button" className="chip" data-reads="" aria-pressed={k === chosen} onClick={() => choose(k)}>
      {words} <span className="count">{n}</span>
    </button>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be drawn as a frame
    <div className="row" role="group" aria-label="Kinds of record">
      {chip(undefined, "All", of.length)}
      {there.map((k) => chip(k, kindWords[k], of.filter((m) => m.object === k).length))}
    </div>
  );
}

/** Nobody has said yet what becomes of the fields: they are mapped by what is proposed. */
function Undecided({ of: c, looked }: { of: Connector; looked: boolean }) {
  const may = useMay();
  const accept = useAct({
    act: (_, key) => ask("POST", `/connectors/${c.id}/wizard/accept-mappings`, { key }),
    changes: [`/connectors/${c.id}`],
    done: "Proposed mappings accepted.",
  });
  const look = useAct({
    act: (_, key) => ask<Of<"Discovery">>("POST", `/connectors/${c.id}/discover`, { key, body: {} }),
    changes: [`/connectors/${c.id}`],
    done: (r) => (r.success ? "Discovery completed." : `Discovery failed: ${r.error?.message ?? "no answer"}`),
  });
  return (
    <Empty title="No mappings yet">
      <p>
        Until you set mappings, people use the proposed mapping of each field. Accounts, entitlements and grants keep the connector's
        values.
      </p>
      {may.admin && looked && (
        <div className="row">
          <Button tone="primary" disabled={accept.isPending} onClick={() => accept.mutate()}>
            Accept proposed mappings
          </Button>
          <Link to={"/connectors/new/$id/$step" as never} params={{ id: c.id, step: "mapping" } as never} className="button">
            Map field by field
          </Link>
        </div>
      )}
      {may.admin && !looked && (
        <Button tone="primary" disabled={look.isPending} onClick={() => look.mutate()}>
          {look.isPending ? "Running discovery…" : "Run discovery"}
        </Button>
      )}
      {!may.admin && !looked && <Note>Discovery has not run yet.</Note>}
    </Empty>
  );
}

/** The first samples of each field, by the kind of record and the field's name. */
export function samplesOf(of: Of<"SchemaSnapshot"> | undefined): Map<string, string> {
  const samples = new Map<string, string>();
  for (const o of of?.objects ?? []) for (const f of o.fields) samples.set(`${o.kind} ${f.path}`, (f.samples ?? []).slice(0, 2).join(", "));
  return samples;
}
