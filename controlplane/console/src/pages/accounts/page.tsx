import { Link, useSearch } from "@tanstack/react-router";
import type { Account } from "../../api/types";
import { useMay } from "../../api/use";
import { Head } from "../../kit/kit";
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
  { name: "All", query: {} },
  { name: "Orphaned", query: { orphaned: "true" } },
  { name: "Uncorrelated", query: { correlation: "uncorrelated" } },
  { name: "Disputed", query: { correlation: "disputed" } },
  { name: "Privileged", query: { privileged: "true" } },
  { name: "Machines", query: { account_type: "service" } },
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
      <Head title="Accounts" lead="Accounts in the connected systems and their owners.">
        {may.admin && <FindOwners />}
      </Head>
      <nav className="tabs" aria-label="View">
        <Link to="/accounts" search={{}} className={show ? undefined : "active"} aria-current={show ? undefined : "page"}>
          Accounts
        </Link>
        <Link
          to="/accounts"
          search={{ show: "drifted" } as never}
          className={show ? "active" : undefined}
          aria-current={show ? "page" : undefined}
        >
          Drift
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
            ...(names.seen ? [{ name: "connector_id", words: "System", options: sources }] : []),
            { name: "correlation", words: "Owner", options: owners },
            { name: "orphan_reason", words: "Orphan reason", options: orphans },
            { name: "account_type", words: "Kind", options: kinds.map((k) => [k, k.replaceAll("_", " ")] as const) },
            { name: "status", words: "State", options: accountStates },
          ]}
          search="logins"
          csv="accounts"
          open={(a) => ({ to: "/accounts/$id", params: { id: a.id } })}
          {...(may.admin ? { bulk: (rows, clear) => <Bulk of={rows} clear={clear} /> } : {})}
          empty={
            may.oversees
              ? { title: "No accounts yet", words: "Accounts are listed after the first sync of a system." }
              : {
                  title: "No accounts visible to you",
                  words: (
                    <NotVisible what="Managers see the accounts of their reports. Owners see the accounts that hold their entitlements." />
                  ),
                }
          }
        />
      )}
    </>
  );
}
