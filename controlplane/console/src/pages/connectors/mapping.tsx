import { useState } from "react";
import * as text from "#text/mappings";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { Check } from "../../kit/form";
import { Button, Empty, Failure, Note, Skeleton, Table, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { type Kind, kinds, kindWords } from "./kinds";
import { AddMapping } from "./mapadd";
import { CopyMappings } from "./mapcopy";
import { EditMapping } from "./mapedit";
import { n } from "./words";

type Mappings = Of<"Mappings">;
type One = Of<"ConnectorMapping">;

const rules: Record<string, string> = {
  exact: text.exactName,
  synonym: text.synonym,
  type_shape: text.typeAndShape,
  vendor_template: text.vendorsTemplate,
  scim_extension: text.scimEnterpriseExtension,
  sector_pack: text.sectorPack,
  manual: text.byHand,
  copied: text.copied,
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
  const discovered = Boolean(found.data?.schema_snapshot_id);
  const schema = useGet<Of<"SchemaSnapshot">>(`/connectors/${c.id}/schema`, {}, { enabled: discovered });
  if (found.isPending || (discovered && schema.isPending)) return <Skeleton rows={8} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const all = found.data.mappings;
  const narrowed = all.some((m) => m.object === kind) ? kind : undefined;
  const shown = all.filter((m) => (!only || m.action === "map") && (!narrowed || m.object === narrowed));
  const samples = samplesOf(schema.data);
  if (all.length === 0) return <Undecided of={c} discovered={discovered} />;
  return (
    <>
      <div className="row between">
        <p className="muted">{text.nOfN2FieldsAreMapped(n(all.filter((m) => m.action === "map").length), n(all.length))}</p>
        <div className="row">
          <Check reads label={text.hideIgnoredFields} value={only} set={setOnly} />
          <Link to="/connectors/$id/rediscover" params={{ id: c.id }} className="button">
            {text.schemaChanges}
          </Link>
          {may.admin && <Button onClick={() => setCopying(true)}>{text.copyFromAnotherConnector}</Button>}
          {may.admin && schema.data && <Button onClick={() => setAdding(true)}>{text.mapAField}</Button>}
        </div>
      </div>
      <Kinds of={all} chosen={narrowed} choose={setKind} />
      <Table label={text.mappings}>
        <thead>
          <tr>
            <th scope="col">{text.ofLabel}</th>
            <th scope="col">{text.sourceField}</th>
            <th scope="col">{text.sample}</th>
            <th scope="col">{text.mappedTo}</th>
            <th scope="col">{text.foundBy}</th>
            <th scope="col">{text.transform}</th>
            {may.admin && (
              <th scope="col">
                <span className="sr">{text.change}</span>
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
              <td>{m.action === "ignore" ? <span className="faint">{text.ignored}</span> : <code>{m.target_field}</code>}</td>
              <td title={m.note}>
                {m.overridden ? <State of="manual" tone="neutral" words={text.byHand} /> : (rules[m.heuristic ?? ""] ?? "—")}
              </td>
              <td>
                {m.transform ? (
                  <code>
                    <Text of={m.transform} />
                  </code>
                ) : (
                  <span className="faint">{text.none}</span>
                )}
              </td>
              {may.admin && (
                <td>
                  <Button tone="quiet" onClick={() => setEdited(m)} aria-label={text.editTheMappingOfSourcePath(m.source_path)}>
                    {text.edit}
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
    <div className="row" role="group" aria-label={text.kindsOfRecord}>
      {chip(undefined, text.all, of.length)}
      {there.map((k) => chip(k, kindWords[k], of.filter((m) => m.object === k).length))}
    </div>
  );
}

/** Nobody has said yet what becomes of the fields: they are mapped by what is proposed. */
function Undecided({ of: c, discovered }: { of: Connector; discovered: boolean }) {
  const may = useMay();
  const accept = useAct({
    act: (_, key) => ask("POST", `/connectors/${c.id}/wizard/accept-mappings`, { key }),
    changes: [`/connectors/${c.id}`],
    done: text.proposedMappingsAccepted,
  });
  const look = useAct({
    act: (_, key) => ask<Of<"Discovery">>("POST", `/connectors/${c.id}/discover`, { key, body: {} }),
    changes: [`/connectors/${c.id}`],
    done: (r) => (r.success ? text.discoveryCompleted : text.discoveryFailedMessage(r.error?.message ?? text.noAnswer)),
  });
  return (
    <Empty title={text.noMappingsYet}>
      <p>{text.untilYouSetMappingsPeopleUse}</p>
      {may.admin && discovered && (
        <div className="row">
          <Button tone="primary" disabled={accept.isPending} onClick={() => accept.mutate()}>
            {text.acceptProposedMappings}
          </Button>
          <Link to="/connectors/new/$id/$step" params={{ id: c.id, step: "mapping" }} className="button">
            {text.mapFieldByField}
          </Link>
        </div>
      )}
      {may.admin && !discovered && (
        <Button tone="primary" disabled={look.isPending} onClick={() => look.mutate()}>
          {look.isPending ? text.runningDiscovery : text.runDiscovery}
        </Button>
      )}
      {!may.admin && !discovered && <Note>{text.discoveryHasNotRunYet}</Note>}
    </Empty>
  );
}

/** The first samples of each field, by the kind of record and the field's name. */
export function samplesOf(of: Of<"SchemaSnapshot"> | undefined): Map<string, string> {
  const samples = new Map<string, string>();
  for (const o of of?.objects ?? []) for (const f of o.fields) samples.set(`${o.kind} ${f.path}`, (f.samples ?? []).slice(0, 2).join(", "));
  return samples;
}
