import * as text from "#text/accounts";
import type { Account } from "../../api/types";
import { Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import type { Column } from "../../kit/list";
import { PersonLink } from "../../kit/personlink";
import { State } from "../../kit/state";
import { type Systems, systemColumn } from "../../kit/systems";
import { orphanWords, ownerWords } from "./words";

export const accountStates = [
  ["active", text.active],
  ["disabled", text.disabled],
  ["locked", text.locked],
  ["missing", text.missing],
  ["provisioning", text.beingCreated],
  ["deprovisioning", text.beingDeleted],
  ["failed", text.failed],
  ["deleted", text.deleted],
] as const;

/** How an account is called. */
export const loginOf = (a: Account) => a.username || a.display_name || a.email || a.native_identity || a.external_id;

/** Whether an account can be used. */
export function AccountState({ of: a }: { of: Pick<Account, "status" | "is_disabled" | "is_locked"> }) {
  if (a.is_disabled && a.status === "active") return <State of="disabled" />;
  if (a.status === "locked" || (a.is_locked && a.status === "active")) return <State of="locked" tone="warn" />;
  return <State of={a.status} words={accountStates.find(([v]) => v === a.status)?.[1] ?? a.status} />;
}

/** The columns of every list of accounts. */
export function accountColumns(names: Systems): Column<Account>[] {
  return [
    {
      title: text.login,
      sort: "username",
      cell: (a) => (
        <Link to="/accounts/$id" params={{ id: a.id }}>
          <Text of={loginOf(a)} />
        </Link>
      ),
      text: loginOf,
    },
    {
      title: text.person,
      cell: (a) =>
        a.identity ? (
          <PersonLink id={a.identity.id}>
            <Text of={a.identity.display} />
          </PersonLink>
        ) : (
          <span className="faint">{text.noOwnerLower}</span>
        ),
      text: (a) => a.identity?.display,
    },
    systemColumn<Account>(names),
    {
      title: text.owner,
      cell: (a) => {
        const w = a.orphaned ? { words: orphanWords(a.orphan_reason), tone: "bad" as const } : ownerWords(String(a.correlation.state));
        return <State of={w.words} tone={w.tone} />;
      },
      text: (a) => (a.orphaned ? orphanWords(a.orphan_reason) : ownerWords(String(a.correlation.state)).words),
    },
    { title: text.kind, cell: (a) => <Kind of={a} />, text: (a) => a.account_type },
    { title: text.state, cell: (a) => <AccountState of={a} />, text: (a) => (a.is_disabled ? "disabled" : a.status) },
    { title: text.lastSignIn, cell: (a) => <When at={a.last_login_at} none="–" />, text: (a) => a.last_login_at },
  ];
}

function Kind({ of: a }: { of: Account }) {
  if (a.privileged) return <State of="privileged" tone="warn" />;
  return <>{a.account_type === "unknown" ? "" : (a.account_type ?? "").replaceAll("_", " ")}</>;
}
