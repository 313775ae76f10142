import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { useMay } from "../../api/use";
import { Button, Head, Text, When } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { Invite } from "./invite";
import { roleNames, rolesOf, type User, UserState } from "./words";

const columns: Column<User>[] = [
  {
    title: "Name",
    sort: "display_name",
    cell: (u) => (
      <Link to="/settings/users/$id" params={{ id: u.id }}>
        <Text of={u.display_name || u.email} />
      </Link>
    ),
    text: (u) => u.display_name,
  },
  { title: "E-mail", sort: "email", cell: (u) => <Text of={u.email} />, text: (u) => u.email },
  { title: "Roles", cell: (u) => <Text of={rolesOf(u)} none="none" />, text: rolesOf },
  { title: "State", cell: (u) => <UserState of={u.status} />, text: (u) => u.status },
  {
    title: "Second factor",
    cell: (u) => (
      <State of={u.mfa.enrolled ? "enabled" : "off"} words={u.mfa.enrolled ? "on" : "off"} tone={u.mfa.enrolled ? "ok" : "neutral"} />
    ),
    text: (u) => u.mfa.enrolled,
  },
  {
    title: "Findings",
    cell: (u) => (u.findings.length > 0 ? <State of="warning" words="review" tone="warn" /> : null),
    text: (u) => u.findings.join(" "),
  },
  { title: "Last sign-in", sort: "last_login_at", cell: (u) => <When at={u.last_login_at} />, text: (u) => u.last_login_at },
];

const views: View[] = [
  { name: "All", query: {} },
  { name: "Administrators", query: { role: "admin" } },
  { name: "Invited", query: { status: "invited" } },
  { name: "Disabled", query: { status: "disabled" } },
];

const filters = [
  {
    name: "status",
    words: "State",
    options: [
      ["active", "active"],
      ["invited", "invited"],
      ["disabled", "disabled"],
    ],
  },
  { name: "role", words: "Role", options: roleNames.map(([r, words]) => [r, words.split(":")[0] ?? r] as const) },
] as const;

/** Who may sign in. */
export default function Users() {
  const may = useMay();
  const search = useSearch({ strict: false }) as Record<string, string>;
  const navigate = useNavigate();
  const inviting = (on: boolean) => {
    const { invite: _, ...rest } = search;
    void navigate({ to: "." as never, search: (on ? { ...rest, invite: "1" } : rest) as never, resetScroll: false });
  };
  return (
    <>
      <Head title="Users" lead="People who can sign in, and their roles.">
        {may.admin && (
          <Button tone="primary" onClick={() => inviting(true)}>
            <UserPlus aria-hidden size={15} /> Invite user
          </Button>
        )}
      </Head>
      <List
        path="/settings/users"
        columns={columns}
        views={views}
        filters={[...filters]}
        search="names and addresses"
        open={(u) => ({ to: "/settings/users/$id", params: { id: u.id } })}
        csv="users"
        label="Users"
        empty={{ title: "No users yet", words: "Invite a user. They set a password with a link that you send." }}
      />
      {may.admin && search.invite && <Invite close={() => inviting(false)} />}
    </>
  );
}
