import { Upload } from "lucide-react";
import * as text from "#text/decisiontables";
import type { Of } from "../../api/types";
import { useMay } from "../../api/use";
import { Head, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { policyStatus } from "../policies/words";

type Policy = Of<"AccessPolicy">;

const columns: Column<Policy>[] = [
  {
    title: text.table,
    sort: "name",
    text: (p) => p.name,
    cell: (p) => (
      <Link to="/decision-tables/$id" params={{ id: p.id }}>
        <Text of={p.name} />
      </Link>
    ),
  },
  {
    title: text.state,
    text: (p) => policyStatus(p).words,
    cell: (p) => <State of={p.mode} tone={policyStatus(p).tone} words={policyStatus(p).words} />,
  },
  {
    title: text.columns,
    wide: true,
    text: (p) => (p.table?.columns ?? []).join(", "),
    cell: (p) => <Text of={(p.table?.columns ?? []).join(", ")} />,
  },
  { title: text.rows, number: true, text: (p) => p.row_count, cell: (p) => p.row_count.toLocaleString("en") },
  { title: text.people, number: true, text: (p) => p.stats.matched, cell: (p) => p.stats.matched.toLocaleString("en") },
  { title: text.changed, text: (p) => p.updated_at, cell: (p) => <When at={p.updated_at} /> },
];

/** The policies that assign access by the rows of a table. */
export default function DecisionTables() {
  const may = useMay();
  return (
    <div className="stack">
      <Head title={text.decisionTables} lead={text.decisionTablesLead}>
        {may.admin && (
          <>
            <Link className="button" to="/decision-tables/import">
              <Upload aria-hidden size={15} /> {text.importTable}
            </Link>
            <Link className="button primary" to="/decision-tables/new">
              {text.newTable}
            </Link>
          </>
        )}
      </Head>
      <List<Policy>
        path="/policies/access-grant"
        label={text.decisionTables}
        fixed={{ kind: "table" }}
        columns={columns}
        views={[
          { name: text.all, query: {} },
          { name: text.active, query: { enabled: "true", mode: "enforce" } },
          { name: text.dryRun, query: { enabled: "true", mode: "shadow" } },
          { name: text.stopped, query: { tripped: "true" } },
        ]}
        search={text.namesAndDescriptions}
        open={(p) => ({ to: "/decision-tables/$id", params: { id: p.id } })}
        csv="decision-tables"
        empty={{ title: text.noTablesYet, words: text.noTablesYetWords }}
      />
    </div>
  );
}
