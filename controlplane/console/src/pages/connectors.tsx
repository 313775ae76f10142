import type { Connector } from "../api/types";
import { Badge, Head, When } from "../kit/kit";
import { type Column, List, type View } from "../kit/list";

const tones = {
  active: "ok",
  ready: "info",
  draft: "info",
  paused: "neutral",
  disabled: "neutral",
  failing: "bad",
  error: "bad",
  quarantined: "bad",
} as const;

const columns: Column<Connector>[] = [
  { title: "Name", cell: (c) => <strong>{c.name}</strong> },
  { title: "Type", cell: (c) => [c.type, c.vendor_key].filter(Boolean).join(" · ") },
  { title: "Environment", cell: (c) => <Badge>{c.environment}</Badge> },
  { title: "Reached", cell: (c) => (c.mode === "agent" ? "through an agent" : "directly") },
  { title: "State", cell: (c) => <Badge tone={tones[c.status as keyof typeof tones] ?? "neutral"}>{c.status}</Badge> },
  { title: "Last sync", cell: (c) => <When at={c.last_success_at} /> },
];

const views: View[] = [
  { name: "All", query: {} },
  { name: "Production", query: { environment: "production" } },
  { name: "Drafts", query: { status: "draft" } },
];

export default function Connectors() {
  return (
    <>
      <Head title="Connectors" lead="Where people, accounts and access come from." />
      <List
        path="/connectors"
        columns={columns}
        views={views}
        search="names"
        empty={{
          title: "No system is connected yet",
          words: "Connect the first one by the API; the documentation of onboarding tells how.",
        }}
      />
    </>
  );
}
