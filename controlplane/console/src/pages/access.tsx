import type { Entitlement } from "../api/types";
import { Badge, Head } from "../kit/kit";
import { type Column, List, type View } from "../kit/list";

const risk = { low: "neutral", medium: "warn", high: "bad", critical: "bad" } as const;

const columns: Column<Entitlement>[] = [
  { title: "Name", cell: (e) => <strong>{e.display_name || e.name}</strong> },
  { title: "What it is for", cell: (e) => e.business_description ?? e.description ?? <span className="faint">nobody has said</span> },
  { title: "Kind", cell: (e) => e.kind.replaceAll("_", " ") },
  { title: "Risk", cell: (e) => <Badge tone={risk[e.risk_level as keyof typeof risk] ?? "neutral"}>{e.risk_level}</Badge> },
  { title: "On request", cell: (e) => (e.requestable ? "yes" : "") },
  { title: "Held by", number: true, cell: (e) => e.effective_member_count.toLocaleString("en") },
];

const views: View[] = [
  { name: "All", query: {} },
  { name: "On request", query: { requestable: "true" } },
  { name: "High risk", query: { risk_level: "high,critical" } },
  { name: "Privileged", query: { privileged: "true" } },
];

export default function Access() {
  return (
    <>
      <Head title="Access" lead="What can be held in the connected systems, and by how many." />
      <List
        path="/entitlements"
        columns={columns}
        views={views}
        search="names and descriptions"
        empty={{ title: "No access is known yet", words: "It comes with the first sync of a system." }}
      />
    </>
  );
}
