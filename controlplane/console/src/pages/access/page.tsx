import { Link } from "@tanstack/react-router";
import type { Entitlement } from "../../api/types";
import { useMay } from "../../api/use";
import { Head, Text } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { NotVisible } from "../../kit/notvisible";
import { Risk, State } from "../../kit/state";
import { type Systems, systemColumn, useSystems } from "../../kit/systems";
import { BulkUpdate } from "./bulk";
import { nameOf, purposeOf } from "./words";

function columns(names: Systems, all: boolean): Column<Entitlement>[] {
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
    { title: "Purpose", cell: (e) => <Text of={purposeOf(e)} none="–" />, text: purposeOf },
    systemColumn<Entitlement>(names),
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
      title: all ? "Held by" : "Held by, visible to you",
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
  { name: "Retired", query: { lifecycle: "deprecated,retired" } },
];

export default function Access() {
  const may = useMay();
  const names = useSystems();
  const sources = [...names].map(([id, name]) => [id, name] as const);
  return (
    <>
      <Head title="Access catalog" lead="Entitlements of the connected systems: purpose, risk, owners and holders.">
        {!may.readOnly && (
          <Link to="/access/request" className="button primary">
            Request access
          </Link>
        )}
      </Head>
      <List<Entitlement>
        path="/entitlements"
        wait={!names.read}
        columns={columns(names, may.oversees)}
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
        empty={
          may.oversees
            ? { title: "No entitlements yet", words: "Entitlements are listed after the first sync of a system." }
            : {
                title: "No entitlements visible to you",
                words: (
                  <NotVisible what="Owners see the entitlements that they own. What you can request is listed under Request access." />
                ),
              }
        }
      />
    </>
  );
}
