import "./policies.css";
import { Link } from "@tanstack/react-router";
import { useMay } from "../../api/use";
import type { Of } from "../../api/types";
import { Badge, Head, Text, When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { doing } from "./words";

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
    title: "Does",
    text: (p) => (p.effect === "deny" ? "denies" : p.birthright ? "gives a birthright" : "gives"),
    cell: (p) => (p.effect === "deny" ? <State of="denied" words="denies" /> : <Badge>{p.birthright ? "birthright" : "gives"}</Badge>),
  },
  {
    title: "State",
    text: (p) => doing(p).words,
    cell: (p) => <State of={p.mode} tone={doing(p).tone} words={doing(p).words} />,
  },
  {
    title: "Whom it is about",
    wide: true,
    text: (p) => p.sentence || "everybody",
    cell: (p) => <Text of={p.sentence || "everybody"} />,
  },
  { title: "About", number: true, text: (p) => p.stats.matched, cell: (p) => p.stats.matched.toLocaleString("en") },
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
  { title: "Hold by it", number: true, text: (p) => p.holder_count, cell: (p) => p.holder_count.toLocaleString("en") },
  { title: "Order", number: true, sort: "priority", text: (p) => p.priority, cell: (p) => p.priority },
  { title: "Looked at", text: (p) => p.last_evaluated_at, cell: (p) => <When at={p.last_evaluated_at ?? null} none="not yet" /> },
];

/** The policies that give access by who somebody is, and those that forbid it. */
export default function Policies() {
  const may = useMay();
  return (
    <div className="stack">
      <Head
        title="Policies"
        lead="Who has what without asking, because of who they are, and what nobody of a kind may hold. A denial beats whatever gives."
      >
        {may.admin && (
          <Link className="button primary" to={"/policies/new" as never}>
            Write a policy
          </Link>
        )}
      </Head>
      <List<Policy>
        path="/policies/access-grant"
        label="Policies"
        columns={columns}
        views={[
          { name: "In force", query: { enabled: "true", mode: "enforce" } },
          { name: "Only watching", query: { enabled: "true", mode: "shadow" } },
          { name: "Stopped", query: { tripped: "true" } },
          { name: "Denials", query: { effect: "deny" } },
          { name: "Birthrights", query: { birthright: "true", effect: "assign" } },
          { name: "Switched off", query: { enabled: "false" } },
        ]}
        search="names and descriptions"
        open={(p) => ({ to: "/policies/$id", params: { id: p.id } })}
        csv="policies"
        every={15_000}
        empty={{
          title: "There is no policy yet",
          words:
            "A policy says whom it is about and what they have, such as: everybody in Finance has the ledger. It can be tried out on today's people before it does anything.",
        }}
      />
    </div>
  );
}
