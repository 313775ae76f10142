import { useSearch } from "@tanstack/react-router";
import { Plus, Upload } from "lucide-react";
import * as text from "#text/people";
import { download } from "../../api/client";
import type { Identity } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { Head, Note, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import { Menu } from "../../kit/menu";
import { NotVisible } from "../../kit/notvisible";
import { type Systems, useSystems } from "../../kit/systems";
import { PersonState } from "./state";
import { SyncPeople } from "./sync";
import { dayWords } from "./words";

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.active, query: { status: "active" } },
  { name: text.startingSoon, query: { status: "pre_hire" } },
  { name: text.leaving, query: { status: "notice" } },
  { name: text.onLeave, query: { status: "on_leave" } },
  { name: text.left, query: { status: "deactivated" } },
  { name: text.machines, query: { kind: "non_human" } },
];

const states = [
  ["active", text.activeLower],
  ["pre_hire", text.startsSoon],
  ["notice", text.leavingLower],
  ["on_leave", text.onLeaveLower],
  ["deactivated", text.hasLeft],
  ["archived", text.archivedLower],
] as const;

/** Columns; links keep the date that is looked at. */
function columns(asOf: string | undefined, names: Systems): Column<Identity>[] {
  return [
    {
      title: text.name,
      sort: "display_name",
      cell: (p) => (
        <Link to="/people/$id" params={{ id: p.id }} search={asOf ? { as_of: asOf } : {}}>
          <Text of={p.display_name || p.email || p.id} />
        </Link>
      ),
      text: (p) => p.display_name,
    },
    { title: text.eMail, sort: "email", cell: (p) => <Text of={p.email} />, text: (p) => p.email },
    { title: text.department, sort: "department", cell: (p) => <Text of={p.department} />, text: (p) => p.department },
    { title: text.title, cell: (p) => <Text of={p.title} />, text: (p) => p.title },
    { title: text.state, cell: (p) => <PersonState of={p.status} />, text: (p) => p.status },
    ...(names.seen
      ? [
          {
            title: text.source,
            cell: (p: Identity) => <Text of={names.get(p.source_connector_id ?? "")} none="–" />,
            text: (p: Identity) => names.get(p.source_connector_id ?? ""),
          },
        ]
      : []),
    { title: text.changed, cell: (p) => <When at={p.updated_at} />, text: (p) => p.updated_at },
  ];
}

export default function People() {
  const may = useMay();
  const names = useSystems();
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const sources = [...names].map(([id, name]) => [id, name] as const);
  return (
    <>
      <Head title={text.people} lead={may.oversees ? text.peopleAndMachinesFromTheSource : text.peopleAndMachinesThatYouCan}>
        {may.oversees && <Export filters={search} />}
        {may.admin && <SyncPeople />}
        {may.admin && (
          <Link to="/people/import" className="button">
            <Upload aria-hidden size={15} /> {text.importLabel}
          </Link>
        )}
        {may.admin && (
          <Link to="/people/new" className="button primary">
            <Plus aria-hidden size={15} /> {text.addAPerson}
          </Link>
        )}
      </Head>
      {search.as_of && <Note>{text.peopleAsOfHistoryBeginsWith(dayWords(search.as_of))}</Note>}
      <List
        path="/identities"
        wait={!names.read}
        columns={columns(search.as_of, names)}
        views={views}
        filters={[
          { name: "department_like", words: text.department, ...(may.oversees ? { suggest: "/identities/departments" } : {}) },
          { name: "status", words: text.state, options: states },
          ...(names.seen ? [{ name: "source_connector_id", words: text.source, options: sources }] : []),
          { name: "as_of", words: text.asOf, type: "date" },
        ]}
        search={text.namesAndAddresses}
        csv="people"
        open={(p) => ({ to: "/people/$id", params: { id: p.id }, ...(search.as_of ? { search: { as_of: search.as_of } } : {}) })}
        empty={{
          title: may.oversees ? text.noPeopleYet : text.noPeopleVisibleToYou,
          words: may.oversees ? (
            <>
              {text.peopleComeFromSourceSystemsSuch}{" "}
              {may.admin ? <Link to="/connectors/new">{text.connectASystem}</Link> : text.anAdministratorConnectsTheFirstOne}
            </>
          ) : (
            <NotVisible what={text.managersSeeTheirReportsOwnersSee} />
          ),
        }}
      />
    </>
  );
}

const exported = ["status", "department_like", "manager_id", "kind", "source_connector_id", "approver_without_sign_in", "q", "sort"];

/** Everything that is known of those who are filtered, as a file that can be imported again. */
function Export({ filters }: { filters: Record<string, string | undefined> }) {
  const query = Object.fromEntries(exported.map((n) => [n, filters[n]]));
  const get = useAct<"csv" | "ndjson">({
    act: (format) => download("/identities/export", `people.${format}`, { query: { ...query, format } }),
    done: text.theFileContainsAllFieldsOf,
  });
  return (
    <Menu
      reads
      words={text.exportLabel}
      of={[
        { words: text.allFieldsAsCsv, act: () => get.mutate("csv") },
        { words: text.allFieldsAsJsonLines, act: () => get.mutate("ndjson") },
      ]}
    />
  );
}
