import { Link } from "@tanstack/react-router";
import type { Account } from "../api/types";
import { Badge, Head, When } from "../kit/kit";
import { type Column, List, type View } from "../kit/list";

const columns: Column<Account>[] = [
  { title: "Login", cell: (a) => <strong>{a.username || a.display_name || a.email || a.id}</strong> },
  {
    title: "Of",
    cell: (a) =>
      a.identity ? (
        <Link to="/people/$id" params={{ id: a.identity.id }}>
          {a.identity.display}
        </Link>
      ) : (
        <span className="faint">nobody</span>
      ),
  },
  {
    title: "Owner",
    cell: (a) => (
      <Badge tone={a.correlation.state === "linked" ? "ok" : a.correlation.state === "disputed" ? "bad" : "warn"}>
        {String(a.correlation.state)}
      </Badge>
    ),
  },
  {
    title: "State",
    cell: (a) => (
      <Badge tone={a.is_disabled ? "neutral" : a.status === "active" ? "ok" : "warn"}>{a.is_disabled ? "disabled" : a.status}</Badge>
    ),
  },
  { title: "Last sign-in", cell: (a) => <When at={a.last_login_at} none="unknown" /> },
];

const views: View[] = [
  { name: "All", query: {} },
  { name: "Without an owner", query: { correlation: "uncorrelated" } },
  { name: "Several owners possible", query: { correlation: "disputed" } },
  { name: "Owner has left", query: { orphaned: "true" } },
];

export default function Accounts() {
  return (
    <>
      <Head title="Accounts" lead="Logins in the connected systems, and whose they are." />
      <List
        path="/accounts"
        columns={columns}
        views={views}
        search="logins"
        empty={{ title: "No accounts yet", words: "They come with the first sync of a system." }}
      />
    </>
  );
}
