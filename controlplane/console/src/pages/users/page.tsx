import { useSearch } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import * as text from "#text/users";
import { useMay } from "../../api/use";
import { Button, Head, Text, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { Invite } from "./invite";
import { roleNames, rolesOf, type User, UserState } from "./words";

const columns: Column<User>[] = [
  {
    title: text.name,
    sort: "display_name",
    cell: (u) => (
      <Link to="/settings/users/$id" params={{ id: u.id }}>
        <Text of={u.display_name || u.email} />
      </Link>
    ),
    text: (u) => u.display_name,
  },
  { title: text.eMail, sort: "email", cell: (u) => <Text of={u.email} />, text: (u) => u.email },
  { title: text.roles, cell: (u) => <Text of={rolesOf(u)} none={text.none} />, text: rolesOf },
  { title: text.state, cell: (u) => <UserState of={u.status} />, text: (u) => u.status },
  {
    title: text.secondFactor,
    cell: (u) => (
      <State of={u.mfa.enrolled ? "enabled" : "off"} words={u.mfa.enrolled ? text.on : text.off} tone={u.mfa.enrolled ? "ok" : "neutral"} />
    ),
    text: (u) => u.mfa.enrolled,
  },
  {
    title: text.findings,
    cell: (u) => (u.findings.length > 0 ? <State of="warning" words={text.review} tone="warn" /> : null),
    text: (u) => u.findings.join(" "),
  },
  { title: text.lastSignIn, sort: "last_login_at", cell: (u) => <When at={u.last_login_at} />, text: (u) => u.last_login_at },
];

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.administrators, query: { role: "admin" } },
  { name: text.invited, query: { status: "invited" } },
  { name: text.disabled, query: { status: "disabled" } },
];

const filters = [
  {
    name: "status",
    words: text.state,
    options: [
      ["active", text.active],
      ["invited", text.invitedLower],
      ["disabled", text.disabledLower],
    ],
  },
  { name: "role", words: text.role, options: roleNames.map(([r, words]) => [r, words.split(":")[0] ?? r] as const) },
] as const;

/** Who may sign in. */
export default function Users() {
  const may = useMay();
  const search = useSearch({ strict: false }) as Record<string, string>;
  const navigate = useGo();
  const inviting = (on: boolean) => {
    const { invite: _, ...rest } = search;
    void navigate({ to: ".", search: on ? { ...rest, invite: "1" } : rest, resetScroll: false });
  };
  return (
    <>
      <Head title={text.users} lead={text.peopleWhoCanSignInAnd}>
        {may.admin && (
          <Button tone="primary" onClick={() => inviting(true)}>
            <UserPlus aria-hidden size={15} /> {text.inviteUser}
          </Button>
        )}
      </Head>
      <List
        path="/settings/users"
        columns={columns}
        views={views}
        filters={[...filters]}
        search={text.namesAndAddresses}
        open={(u) => ({ to: "/settings/users/$id", params: { id: u.id } })}
        csv="users"
        label={text.users}
        empty={{ title: text.noUsersYet, words: text.inviteAUserTheySetA }}
      />
      {may.admin && search.invite && <Invite close={() => inviting(false)} />}
    </>
  );
}
