import * as text from "#text/policies";
import "./policies.css";
import type { Of } from "../../api/types";
import { useMay } from "../../api/use";
import { Badge, Head, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { policyStatus } from "./words";

type Policy = Of<"AccessPolicy">;

/** What a policy does to access that is not denied. */
function effectWords(p: Policy): string {
  if (p.effect === "eligible") return text.eligible;
  if (p.effect === "require") return text.requires;
  return p.birthright ? text.birthrightLower : text.grant;
}

const columns: Column<Policy>[] = [
  {
    title: text.policy,
    sort: "name",
    text: (p) => p.name,
    cell: (p) => (
      <Link to="/policies/$id" params={{ id: p.id }}>
        <Text of={p.name} />
      </Link>
    ),
  },
  {
    title: text.effect,
    text: (p) => (p.effect !== "assign" ? (p.effect ?? "") : p.birthright ? "birthright" : "grant"),
    cell: (p) => (p.effect === "deny" ? <State of="denied" words={text.deny} /> : <Badge>{effectWords(p)}</Badge>),
  },
  {
    title: text.state,
    text: (p) => policyStatus(p).words,
    cell: (p) => <State of={p.mode} tone={policyStatus(p).tone} words={policyStatus(p).words} />,
  },
  {
    title: text.appliesTo,
    wide: true,
    text: (p) => p.sentence || "everyone",
    cell: (p) => <Text of={p.sentence || "everyone"} />,
  },
  { title: text.people, number: true, text: (p) => p.stats.matched, cell: (p) => p.stats.matched.toLocaleString("en") },
  {
    title: text.wouldChange,
    number: true,
    text: (p) => p.stats.would_grant - p.stats.would_end,
    cell: (p) =>
      p.stats.would_grant || p.stats.would_end ? (
        <span>
          + {p.stats.would_grant.toLocaleString("en")} − {p.stats.would_end.toLocaleString("en")}
        </span>
      ) : (
        <span className="faint">{text.nothing}</span>
      ),
  },
  { title: text.grants, number: true, text: (p) => p.holder_count, cell: (p) => p.holder_count.toLocaleString("en") },
  { title: text.order, number: true, sort: "priority", text: (p) => p.priority, cell: (p) => p.priority },
  { title: text.evaluated, text: (p) => p.last_evaluated_at, cell: (p) => <When at={p.last_evaluated_at ?? null} none={text.notYet} /> },
];

/** The policies that give access by who somebody is, and those that forbid it. */
export default function Policies() {
  const may = useMay();
  return (
    <div className="stack">
      <Head title={text.policies} lead={text.rulesThatGrantOrDenyAccess}>
        <Link className="button" to="/decision-tables">
          {text.decisionTables}
        </Link>
        {may.admin && (
          <Link className="button primary" to="/policies/new">
            {text.newPolicy}
          </Link>
        )}
      </Head>
      <List<Policy>
        path="/policies/access-grant"
        label={text.policies}
        columns={columns}
        views={[
          { name: text.all, query: {} },
          { name: text.active, query: { enabled: "true", mode: "enforce" } },
          { name: text.dryRun, query: { enabled: "true", mode: "shadow" } },
          { name: text.stopped, query: { tripped: "true" } },
          { name: text.denials, query: { effect: "deny" } },
          { name: text.eligibility, query: { effect: "eligible" } },
          { name: text.requirements, query: { effect: "require" } },
          { name: text.birthrights, query: { birthright: "true", effect: "assign" } },
          { name: text.off, query: { enabled: "false" } },
        ]}
        search={text.namesAndDescriptions}
        open={(p) => ({ to: "/policies/$id", params: { id: p.id } })}
        csv="policies"
        every={15_000}
        empty={{
          title: text.noPoliciesYet,
          words: text.aPolicyGrantsAccessToThe,
        }}
      />
    </div>
  );
}
