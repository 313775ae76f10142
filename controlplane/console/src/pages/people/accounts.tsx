import type { IdentityDetail } from "../../api/types";
import { List } from "../../kit/list";
import { useSystems } from "../../kit/systems";
import { accountColumns, accountStates } from "../accounts/columns";

/** The accounts of somebody. */
export function PersonAccounts({ of: p }: { of: IdentityDetail }) {
  const names = useSystems();
  return (
    <List
      path={`/identities/${p.id}/accounts`}
      label="Accounts"
      columns={accountColumns(names).filter((c) => c.title !== "Person")}
      filters={[{ name: "status", words: "State", options: accountStates }]}
      search="logins"
      csv="accounts-of-a-person"
      open={(a) => ({ to: "/accounts/$id", params: { id: a.id } })}
      empty={{
        title: "No accounts",
        words: "No accounts are visible to you. Accounts are listed after a sync, or when access is granted.",
      }}
    />
  );
}
