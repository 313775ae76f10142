import { Link } from "@tanstack/react-router";
import type { Identity } from "../api/types";
import { Badge, Head, When } from "../kit/kit";
import { type Column, List, type View } from "../kit/list";

const tones = {
  active: "ok",
  notice: "warn",
  on_leave: "info",
  pre_hire: "info",
  suspended: "warn",
  deactivated: "neutral",
  archived: "neutral",
} as const;

/** The state of somebody, in the words of people. */
export function Status({ of }: { of: string }) {
  return <Badge tone={tones[of as keyof typeof tones] ?? "neutral"}>{of.replaceAll("_", " ")}</Badge>;
}

const columns: Column<Identity>[] = [
  {
    title: "Name",
    cell: (p) => (
      <Link to="/people/$id" params={{ id: p.id }}>
        {p.display_name || p.email || p.id}
      </Link>
    ),
  },
  { title: "E-mail", cell: (p) => p.email ?? "" },
  { title: "Department", cell: (p) => p.department ?? "" },
  { title: "Title", cell: (p) => p.title ?? "" },
  { title: "State", cell: (p) => <Status of={p.status} /> },
  { title: "Changed", cell: (p) => <When at={p.updated_at} /> },
];

const views: View[] = [
  { name: "All", query: {} },
  { name: "Active", query: { status: "active" } },
  { name: "Starting soon", query: { status: "pre_hire" } },
  { name: "Leaving", query: { status: "notice" } },
  { name: "On leave", query: { status: "on_leave" } },
  { name: "Left", query: { status: "deactivated" } },
];

export default function People() {
  return (
    <>
      <Head title="People" lead="Everybody whom you may see, from the systems that know them." />
      <List
        path="/identities"
        columns={columns}
        views={views}
        search="names and addresses"
        open={(p) => ({ to: "/people/$id", params: { id: p.id } })}
        empty={{ title: "Nobody is here yet", words: "People come from the systems that know them, such as HR. Connect one first." }}
      />
    </>
  );
}
