import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { useMay } from "../../api/use";
import { Button, Head, Text, When } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { CreateToken } from "./create";
import { Drawer } from "./drawer";
import "./tokens.css";
import { roles, type Token, TokenState } from "./words";

const views: View[] = [
  { name: "All", query: {} },
  { name: "In use", query: { state: "active,expiring" } },
  { name: "Expiring", query: { state: "expiring" } },
  { name: "Disabled", query: { state: "disabled" } },
  { name: "Ended", query: { state: "revoked,expired" } },
];

const filters = [{ name: "role", words: "Role", options: roles.map(([r, words]) => [r, words.split(":")[0] ?? r] as const) }];

/** Tokens by which programs use the API. */
export default function Tokens() {
  const may = useMay();
  const search = useSearch({ strict: false }) as Record<string, string>;
  const navigate = useNavigate();
  const go = (change: Record<string, string | undefined>) =>
    void navigate({ to: "." as never, search: { ...search, ...change } as never, resetScroll: false });
  const columns: Column<Token>[] = [
    {
      title: "Name",
      sort: "name",
      cell: (t) => (
        <Link to="/settings/tokens" search={{ ...search, token: t.id } as never} resetScroll={false}>
          <Text of={t.name} />
        </Link>
      ),
      text: (t) => t.name,
    },
    { title: "State", cell: (t) => <TokenState of={t.state} />, text: (t) => t.state },
    { title: "Role", cell: (t) => t.role.replaceAll("_", " "), text: (t) => t.role },
    {
      title: "Scopes",
      number: true,
      cell: (t) => <span title={t.scopes.join(", ")}>{t.scopes.length}</span>,
      text: (t) => t.scopes.join(" "),
    },
    { title: "Last used", sort: "last_used_at", cell: (t) => <When at={t.last_used_at} />, text: (t) => t.last_used_at },
    { title: "Ends", sort: "expires_at", cell: (t) => <When at={t.expires_at} />, text: (t) => t.expires_at },
    { title: "Created by", cell: (t) => <Text of={t.created_by.display} />, text: (t) => t.created_by.display },
    {
      title: "Last characters",
      cell: (t) => <code title="The last characters of its jti, as shown in logs">{t.jti_tail}</code>,
      text: (t) => t.jti_tail,
    },
  ];
  return (
    <>
      <Head title="API tokens" lead="Tokens of programs that use the API: permissions, usage and expiry.">
        {may.admin && (
          <Button tone="primary" onClick={() => go({ new: "1" })}>
            <KeyRound aria-hidden size={15} /> Create token
          </Button>
        )}
      </Head>
      <List
        path="/settings/api-tokens"
        columns={columns}
        views={views}
        filters={filters}
        search="names"
        open={(t) => ({ to: "/settings/tokens", search: { ...search, token: t.id } })}
        csv="api-tokens"
        label="API tokens"
        empty={{ title: "No API tokens yet", words: "Create a separate token for each program, so that you can revoke each one." }}
      />
      {search.token && <Drawer id={search.token} close={() => go({ token: undefined })} />}
      {may.admin && search.new && <CreateToken close={() => go({ new: undefined })} />}
    </>
  );
}
