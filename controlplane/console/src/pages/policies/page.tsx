import "./policies.css";
import { Link } from "@tanstack/react-router";
import type { Of } from "../../api/types";
import { useMay } from "../../api/use";
import { Badge, Head, Text, When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { policyStatus } from "./words";

type Policy = Of<"AccessPolicy">;

const columns: Column<Policy>[] = [
  {
    title: "Policy",
    sort: "name",
    text: (p) => p.name,
    cell: (p) => (
      <Link to={"/policies/$id" as never} params={{ id: p.id } as never}>
        <Text of={p.name} />
      </Link>
    ),
  },
  {
    title: "Effect",
    text: (p) => (p.effect === "deny" ? "deny" : p.birthright ? "birthright" : "grant"),
    cell: (p) => (p.effect === "deny" ? <State of="denied" words="deny" /> : <Badge>{p.birthright ? "birthright" : "grant"}</Badge>),
  },
  {
    title: "State",
    text: (p) => policyStatus(p).words,
    cell: (p) => <State of={p.mode} tone={policyStatus(p).tone} words={policyStatus(p).words} />,
  },
  {
    title: "Applies to",
    wide: true,
    text: (p) => p.sentence || "everyone",
    cell: (p) => <Text of={p.sentence || "everyone"} />,
  },
  { title: "People", number: true, text: (p) => p.stats.matched, cell: (p) => p.stats.matched.toLocaleString("en") },
  {
    title: "Would change",
    number: true,
    text: (p) => p.stats.would_grant - p.stats.would_end,
    cell: (p) =>
      p.stats.would_grant || p.stats.would_end ? (
        <span>
          + {p.stats.would_grant.toLocaleString("en")} − {p.stats.would_end.toLocaleString("en")}
        </span>
      ) : (
        <span className="faint">nothing</span>
      ),
  },
  { title: "Grants", number: true, text: (p) => p.holder_count, cell: (p) => p.holder_count.toLocaleString("en") },
  { title: "Order", number: true, sort: "priority", text: (p) => p.priority, cell: (p) => p.priority },
  { title: "Evaluated", text: (p) => p.last_evaluated_at, cell: (p) => <When at={p.last_evaluated_at ?? null} none="not yet" /> },
];

/** The policies that give access by who somebody is, and those that forbid it. */
export default function Policies() {
  const may = useMay();
  return (
    <div className="stack">
      <Head title="Policies" lead="Rules that grant or deny access by attributes of people. A deny policy overrides every grant.">
        {may.admin && (
          <Link className="button primary" to={"/policies/new" as never}>
            New policy
          </Link>
        )}
      </Head>
      <List<Policy>
        path="/policies/access-grant"
        label="Policies"
        columns={columns}
        views={[
          { name: "All", query: {} },
          { name: "Active", query: { enabled: "true", mode: "enforce" } },
          { name: "Dry run", query: { enabled: "true", mode: "shadow" } },
          { name: "Stopped", query: { tripped: "true" } },
          { name: "Denials", query: { effect: "deny" } },
          { name: "Birthrights", query: { birthright: "true", effect: "assign" } },
          { name: "Off", query: { enabled: "false" } },
        ]}
        search="names and descriptions"
        open={(p) => ({ to: "/policies/$id", params: { id: p.id } })}
        csv="policies"
        every={15_000}
        empty={{
          title: "No policies yet",
          words:
            "A policy grants access to the people it applies to, such as the ledger to everyone in Finance. Simulate it before you activate it.",
        }}
      />
    </div>
  );
}
