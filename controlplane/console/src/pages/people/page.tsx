import { Link, useSearch } from "@tanstack/react-router";
import { Plus, Upload } from "lucide-react";
import { download } from "../../api/client";
import type { Identity } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { Head, Note, Text, When } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { Menu } from "../../kit/menu";
import { NotVisible } from "../../kit/notvisible";
import { type Systems, useSystems } from "../../kit/systems";
import { PersonState } from "./state";
import { SyncPeople } from "./sync";
import { dayWords } from "./words";

const views: View[] = [
  { name: "All", query: {} },
  { name: "Active", query: { status: "active" } },
  { name: "Starting soon", query: { status: "pre_hire" } },
  { name: "Leaving", query: { status: "notice" } },
  { name: "On leave", query: { status: "on_leave" } },
  { name: "Left", query: { status: "deactivated" } },
  { name: "Machines", query: { kind: "non_human" } },
];

const states = [
  ["active", "active"],
  ["pre_hire", "starts soon"],
  ["notice", "leaving"],
  ["on_leave", "on leave"],
  ["deactivated", "has left"],
  ["archived", "archived"],
] as const;

/** Columns; links keep the date that is looked at. */
function columns(asOf: string | undefined, names: Systems): Column<Identity>[] {
  return [
    {
      title: "Name",
      sort: "display_name",
      cell: (p) => (
        <Link to="/people/$id" params={{ id: p.id }} search={(asOf ? { as_of: asOf } : {}) as never}>
          <Text of={p.display_name || p.email || p.id} />
        </Link>
      ),
      text: (p) => p.display_name,
    },
    { title: "E-mail", sort: "email", cell: (p) => <Text of={p.email} />, text: (p) => p.email },
    { title: "Department", sort: "department", cell: (p) => <Text of={p.department} />, text: (p) => p.department },
    { title: "Title", cell: (p) => <Text of={p.title} />, text: (p) => p.title },
    { title: "State", cell: (p) => <PersonState of={p.status} />, text: (p) => p.status },
    ...(names.seen
      ? [
          {
            title: "Source",
            cell: (p: Identity) => <Text of={names.get(p.source_connector_id ?? "")} none="–" />,
            text: (p: Identity) => names.get(p.source_connector_id ?? ""),
          },
        ]
      : []),
    { title: "Changed", cell: (p) => <When at={p.updated_at} />, text: (p) => p.updated_at },
  ];
}

export default function People() {
  const may = useMay();
  const names = useSystems();
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const sources = [...names].map(([id, name]) => [id, name] as const);
  return (
    <>
      <Head title="People" lead={may.oversees ? "People and machines from the source systems." : "People and machines that you can see."}>
        {may.oversees && <Export filters={search} />}
        {may.admin && <SyncPeople />}
        {may.admin && (
          <Link to="/people/import" className="button">
            <Upload aria-hidden size={15} /> Import
          </Link>
        )}
        {may.admin && (
          <Link to="/people/new" className="button primary">
            <Plus aria-hidden size={15} /> Add a person
          </Link>
        )}
      </Head>
      {search.as_of && <Note>People {dayWords(search.as_of)}. History begins with the first sync of each system.</Note>}
      <List
        path="/identities"
        wait={!names.read}
        columns={columns(search.as_of, names)}
        views={views}
        filters={[
          { name: "department_like", words: "Department", ...(may.oversees ? { suggest: "/identities/departments" } : {}) },
          { name: "status", words: "State", options: states },
          ...(names.seen ? [{ name: "source_connector_id", words: "Source", options: sources }] : []),
          { name: "as_of", words: "As of", type: "date" },
        ]}
        search="names and addresses"
        csv="people"
        open={(p) => ({ to: "/people/$id", params: { id: p.id }, ...(search.as_of ? { search: { as_of: search.as_of } } : {}) })}
        empty={{
          title: may.oversees ? "No people yet" : "No people visible to you",
          words: may.oversees ? (
            <>
              People come from source systems, such as HR.{" "}
              {may.admin ? <Link to="/connectors/new">Connect a system</Link> : "An administrator connects the first one."}
            </>
          ) : (
            <NotVisible what="Managers see their reports. Owners see the people who have the access that they own." />
          ),
        }}
      />
    </>
  );
}

const exported = ["status", "department_like", "manager_id", "kind", "source_connector_id", "q", "sort"];

/** Everything that is known of those who are filtered, as a file that can be imported again. */
function Export({ filters }: { filters: Record<string, string | undefined> }) {
  const query = Object.fromEntries(exported.map((n) => [n, filters[n]]));
  const get = useAct<"csv" | "ndjson">({
    act: (format) => download("/identities/export", `people.${format}`, { query: { ...query, format } }),
    done: "The file contains all fields of everyone in this list.",
  });
  return (
    <Menu
      reads
      words="Export"
      of={[
        { words: "All fields as CSV", act: () => get.mutate("csv") },
        { words: "All fields as JSON lines", act: () => get.mutate("ndjson") },
      ]}
    />
  );
}
