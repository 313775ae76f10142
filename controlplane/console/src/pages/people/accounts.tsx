import * as text from "#text/people";
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
      label={text.accounts}
      columns={accountColumns(names).filter((c) => c.title !== "Person")}
      filters={[{ name: "status", words: text.state, options: accountStates }]}
      search={text.logins}
      csv="accounts-of-a-person"
      open={(a) => ({ to: "/accounts/$id", params: { id: a.id } })}
      empty={{
        title: text.noAccounts,
        words: text.noAccountsAreVisibleToYou,
      }}
    />
  );
}
