import { useSearch } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import * as text from "#text/tokens";
import { useMay } from "../../api/use";
import { Button, Head, Text, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import { CreateToken } from "./create";
import { Drawer } from "./drawer";
import "./tokens.css";
import { roles, type Token, TokenState } from "./words";

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.inUse, query: { state: "active,expiring" } },
  { name: text.expiring, query: { state: "expiring" } },
  { name: text.disabled, query: { state: "disabled" } },
  { name: text.ended, query: { state: "revoked,expired" } },
];

const filters = [{ name: "role", words: text.role, options: roles.map(([r, words]) => [r, words.split(":")[0] ?? r] as const) }];

/** Tokens by which programs use the API. */
export default function Tokens() {
  const may = useMay();
  const search = useSearch({ strict: false }) as Record<string, string>;
  const navigate = useGo();
  const go = (change: Record<string, string | undefined>) =>
    void navigate({ to: ".", search: { ...search, ...change }, resetScroll: false });
  const columns: Column<Token>[] = [
    {
      title: text.name,
      sort: "name",
      cell: (t) => (
        <Link to="/settings/tokens" search={{ ...search, token: t.id }} resetScroll={false}>
          <Text of={t.name} />
        </Link>
      ),
      text: (t) => t.name,
    },
    { title: text.state, cell: (t) => <TokenState of={t.state} />, text: (t) => t.state },
    { title: text.role, cell: (t) => t.role.replaceAll("_", " "), text: (t) => t.role },
    {
      title: text.scopes,
      number: true,
      cell: (t) => <span title={t.scopes.join(", ")}>{t.scopes.length}</span>,
      text: (t) => t.scopes.join(" "),
    },
    { title: text.lastUsed, sort: "last_used_at", cell: (t) => <When at={t.last_used_at} />, text: (t) => t.last_used_at },
    { title: text.ends, sort: "expires_at", cell: (t) => <When at={t.expires_at} />, text: (t) => t.expires_at },
    { title: text.createdBy, cell: (t) => <Text of={t.created_by.display} />, text: (t) => t.created_by.display },
    {
      title: text.lastCharacters,
      cell: (t) => <code title={text.theLastCharactersOfItsJti}>{t.jti_tail}</code>,
      text: (t) => t.jti_tail,
    },
  ];
  return (
    <>
      <Head title={text.apiTokens} lead={text.tokensOfProgramsThatUseThe}>
        {may.admin && (
          <Button tone="primary" onClick={() => go({ new: "1" })}>
            <KeyRound aria-hidden size={15} /> {text.createToken}
          </Button>
        )}
      </Head>
      <List
        path="/settings/api-tokens"
        columns={columns}
        views={views}
        filters={filters}
        search={text.names}
        open={(t) => ({ to: "/settings/tokens", search: { ...search, token: t.id } })}
        csv="api-tokens"
        label={text.apiTokens}
        empty={{ title: text.noApiTokensYet, words: text.createASeparateTokenForEach }}
      />
      {search.token && <Drawer id={search.token} close={() => go({ token: undefined })} />}
      {may.admin && search.new && <CreateToken close={() => go({ new: undefined })} />}
    </>
  );
}
