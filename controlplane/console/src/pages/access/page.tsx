import * as text from "#text/access";
import type { Entitlement } from "../../api/types";
import { useMay } from "../../api/use";
import { Head, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import { NotVisible } from "../../kit/notvisible";
import { Risk, State } from "../../kit/state";
import { type Systems, systemColumn, useSystems } from "../../kit/systems";
import { BulkUpdate } from "./bulk";
import { nameOf, purposeOf } from "./words";

function columns(names: Systems, all: boolean): Column<Entitlement>[] {
  return [
    {
      title: text.name,
      sort: "name",
      cell: (e) => (
        <Link to="/access/$id" params={{ id: e.id }}>
          <Text of={nameOf(e)} />
        </Link>
      ),
      text: nameOf,
    },
    { title: text.purpose, cell: (e) => <Text of={purposeOf(e)} none="–" />, text: purposeOf },
    systemColumn<Entitlement>(names),
    { title: text.kind, cell: (e) => e.kind.replaceAll("_", " "), text: (e) => e.kind },
    {
      title: text.risk,
      cell: (e) => (
        <>
          <Risk of={e.risk_level} /> {e.privileged && <State of="privileged" tone="warn" />}
        </>
      ),
      text: (e) => e.risk_level,
    },
    { title: text.onRequest, cell: (e) => (e.requestable ? "yes" : <span className="faint">{text.no}</span>), text: (e) => e.requestable },
    {
      title: text.owners,
      number: true,
      cell: (e) => ((e.owner_ids ?? []).length === 0 ? <State of="none" tone="warn" words={text.noneLower} /> : (e.owner_ids ?? []).length),
      text: (e) => (e.owner_ids ?? []).length,
    },
    {
      title: all ? text.heldBy : text.heldByVisibleToYou,
      number: true,
      cell: (e) => e.effective_member_count.toLocaleString("en"),
      text: (e) => e.effective_member_count,
    },
  ];
}

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.onRequest, query: { requestable: "true" } },
  { name: text.highRisk, query: { risk_level: "high,critical" } },
  { name: text.privileged, query: { privileged: "true" } },
  { name: text.withoutAnOwner, query: { owned: "false" } },
  { name: text.unusedFor90Days, query: { unused: "P90D" } },
  { name: text.retired, query: { lifecycle: "deprecated,retired" } },
];

export default function Access() {
  const may = useMay();
  const names = useSystems();
  const sources = [...names].map(([id, name]) => [id, name] as const);
  return (
    <>
      <Head title={text.accessCatalog} lead={text.entitlementsOfTheConnectedSystemsPurpose}>
        {!may.readOnly && (
          <Link to="/access/request" className="button primary">
            {text.requestAccess}
          </Link>
        )}
      </Head>
      <List<Entitlement>
        path="/entitlements"
        wait={!names.read}
        columns={columns(names, may.oversees)}
        views={views}
        filters={[
          ...(names.seen ? [{ name: "connector_id", words: text.system, options: sources }] : []),
          { name: "risk_level", words: text.risk, options: ["low", "medium", "high", "critical"].map((r) => [r, r] as const) },
          {
            name: "requestable",
            words: text.onRequest,
            options: [
              ["true", text.yes],
              ["false", text.no],
            ],
          },
          { name: "tag", words: text.tag },
        ]}
        search={text.namesAndDescriptions}
        csv="access"
        open={(e) => ({ to: "/access/$id", params: { id: e.id } })}
        {...(may.admin ? { bulk: (rows, clear) => <BulkUpdate of={rows} clear={clear} /> } : {})}
        empty={
          may.oversees
            ? { title: text.noEntitlementsYet, words: text.entitlementsAreListedAfterTheFirst }
            : {
                title: text.noEntitlementsVisibleToYou,
                words: <NotVisible what={text.ownersSeeTheEntitlementsThatThey} />,
              }
        }
      />
    </>
  );
}
