import { Link } from "@tanstack/react-router";
import type { Entitlement } from "../../api/types";
import { useMay } from "../../api/use";
import { Head, Text } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { Risk, State } from "../../kit/state";
import { System, type Systems, useSystems } from "../../kit/systems";
import { BulkUpdate } from "./bulk";
import { nameOf, purposeOf } from "./words";

function columns(names: Systems): Column<Entitlement>[] {
  return [
    {
      title: "Name",
      sort: "name",
      cell: (e) => (
        <Link to="/access/$id" params={{ id: e.id }}>
          <Text of={nameOf(e)} />
        </Link>
      ),
      text: nameOf,
    },
    { title: "What it is for", cell: (e) => <Text of={purposeOf(e)} none="nobody has said" />, text: purposeOf },
    ...(names.seen
      ? [
          {
            title: "System",
            cell: (e: Entitlement) => <System id={e.connector_id} names={names} />,
            text: (e: Entitlement) => names.get(e.connector_id ?? ""),
          },
        ]
      : []),
    { title: "Kind", cell: (e) => e.kind.replaceAll("_", " "), text: (e) => e.kind },
    {
      title: "Risk",
      cell: (e) => (
        <>
          <Risk of={e.risk_level} /> {e.privileged && <State of="privileged" tone="warn" />}
        </>
      ),
      text: (e) => e.risk_level,
    },
    { title: "On request", cell: (e) => (e.requestable ? "yes" : <span className="faint">no</span>), text: (e) => e.requestable },
    {
      title: "Owners",
      number: true,
      cell: (e) => ((e.owner_ids ?? []).length === 0 ? <State of="none" tone="warn" words="none" /> : (e.owner_ids ?? []).length),
      text: (e) => (e.owner_ids ?? []).length,
    },
    {
      title: "Held by",
      number: true,
      cell: (e) => e.effective_member_count.toLocaleString("en"),
      text: (e) => e.effective_member_count,
    },
  ];
}

const views: View[] = [
  { name: "All", query: {} },
  { name: "On request", query: { requestable: "true" } },
  { name: "High risk", query: { risk_level: "high,critical" } },
  { name: "Privileged", query: { privileged: "true" } },
  { name: "Without an owner", query: { owned: "false" } },
  { name: "Unused for 90 days", query: { unused: "P90D" } },
  { name: "Out of use", query: { lifecycle: "deprecated,retired" } },
];

export default function Access() {
  const may = useMay();
  const names = useSystems();
  const sources = [...names].map(([id, name]) => [id, name] as const);
  return (
    <>
      <Head title="Access catalog" lead="What can be held in the connected systems, what it is for, and by how many it is.">
        {!may.readOnly && (
          <Link to="/access/request" className="button primary">
            Ask for access
          </Link>
        )}
      </Head>
      <List<Entitlement>
        path="/entitlements"
        wait={!names.read}
        columns={columns(names)}
        views={views}
        filters={[
          ...(names.seen ? [{ name: "connector_id", words: "System", options: sources }] : []),
          { name: "risk_level", words: "Risk", options: ["low", "medium", "high", "critical"].map((r) => [r, r] as const) },
          {
            name: "requestable",
            words: "On request",
            options: [
              ["true", "yes"],
              ["false", "no"],
            ],
          },
          { name: "tag", words: "Tag" },
        ]}
        search="names and descriptions"
        csv="access"
        open={(e) => ({ to: "/access/$id", params: { id: e.id } })}
        {...(may.admin ? { bulk: (rows, clear) => <BulkUpdate of={rows} clear={clear} /> } : {})}
        empty={{ title: "No access is known yet", words: "It comes with the first reading of a system." }}
      />
    </>
  );
}
