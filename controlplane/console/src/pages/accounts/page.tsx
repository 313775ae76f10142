import { useSearch } from "@tanstack/react-router";
import * as text from "#text/accounts";
import type { Account } from "../../api/types";
import { useMay } from "../../api/use";
import { Head } from "../../kit/kit";
import { Link } from "../../kit/link";
import { List, type View } from "../../kit/list";
import { NotVisible } from "../../kit/notvisible";
import { useSystems } from "../../kit/systems";
import { Bulk } from "./bulk";
import { accountColumns, accountStates } from "./columns";
import { Drifted } from "./drifted";
import { FindOwners } from "./findowners";
import { orphanWords, ownerWords } from "./words";
import "./accounts.css";

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.orphaned, query: { orphaned: "true" } },
  { name: text.uncorrelated, query: { correlation: "uncorrelated" } },
  { name: text.disputed, query: { correlation: "disputed" } },
  { name: text.privileged, query: { privileged: "true" } },
  { name: text.machines, query: { account_type: "service" } },
];

const kinds = ["person", "privileged", "service", "shared", "system", "bot", "ai_agent", "break_glass", "unknown"];
const owners = ["linked", "manual", "uncorrelated", "disputed", "ignored"].map((v) => [v, ownerWords(v).words] as const);
const orphans = ["owner_deactivated", "owner_archived", "no_owner", "owner_unresolved"].map((v) => [v, orphanWords(v)] as const);

export default function Accounts() {
  const may = useMay();
  const names = useSystems();
  const { show } = useSearch({ strict: false }) as { show?: string };
  const sources = [...names].map(([id, name]) => [id, name] as const);
  return (
    <>
      <Head title={text.accounts} lead={text.accountsInTheConnectedSystemsAnd}>
        {may.admin && <FindOwners />}
      </Head>
      <nav className="tabs" aria-label={text.view}>
        <Link to="/accounts" search={{}} className={show ? undefined : "active"} aria-current={show ? undefined : "page"}>
          {text.accounts}
        </Link>
        <Link to="/accounts" search={{ show: "drifted" }} className={show ? "active" : undefined} aria-current={show ? "page" : undefined}>
          {text.drift}
        </Link>
      </nav>
      {show === "drifted" ? (
        <Drifted />
      ) : (
        <List<Account>
          path="/accounts"
          wait={!names.read}
          columns={accountColumns(names)}
          views={views}
          filters={[
            ...(names.seen ? [{ name: "connector_id", words: text.system, options: sources }] : []),
            { name: "correlation", words: text.owner, options: owners },
            { name: "orphan_reason", words: text.orphanReason, options: orphans },
            { name: "account_type", words: text.kind, options: kinds.map((k) => [k, k.replaceAll("_", " ")] as const) },
            { name: "status", words: text.state, options: accountStates },
          ]}
          search={text.logins}
          csv="accounts"
          open={(a) => ({ to: "/accounts/$id", params: { id: a.id } })}
          {...(may.admin ? { bulk: (rows, clear) => <Bulk of={rows} clear={clear} /> } : {})}
          empty={
            may.oversees
              ? { title: text.noAccountsYet, words: text.accountsAreListedAfterTheFirst }
              : {
                  title: text.noAccountsVisibleToYou,
                  words: <NotVisible what={text.managersSeeTheAccountsOfTheir} />,
                }
          }
        />
      )}
    </>
  );
}
