import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/accounts";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Account } from "../../api/types";
import { number } from "../../kit/count";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { showToast } from "../../kit/toast";
import { loginOf } from "./columns";

type Refused = { account: Account; why: string };

/**
 * Each is asked for by itself: the service has no such thing for several. Those that were refused stay, with the reason, and they alone
 * are asked for again.
 */
export function IgnoreAll({ of, close, clear }: { of: Account[]; close: () => void; clear: () => void }) {
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const [left, setLeft] = useState<Refused[]>();
  const accept = async () => {
    const refused: Refused[] = [];
    const asked = left ? left.map((l) => l.account) : of;
    let done = 0;
    try {
      for (const account of asked) {
        const why = await accepted(account, reason);
        if (why) refused.push({ account: await newest(account), why });
        done++;
      }
    } catch (e) {
      setLeft([...refused, ...asked.slice(done).map((account) => ({ account, why: text.notSentYet }))]);
      throw e;
    } finally {
      await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/accounts") });
    }
    setLeft(refused);
    if (refused.length > 0) throw new Error(`${number(of.length - refused.length)} accepted, ${number(refused.length)} rejected.`);
    showToast(text.accountsAreAcceptedAsUnowned(of.length));
    clear();
  };
  const end = () => {
    if (left) clear(); // what was accepted is no longer what was selected
    close();
  };
  return (
    <ConfirmDialog
      open
      close={end}
      title={text.acceptAccountsAsUnowned(of.length)}
      lead={text.decisionTasksForTheseAccountsClose}
      verb={left ? text.retryTheRest : text.accept}
      disabled={!reason.trim()}
      act={accept}
    >
      <TextField label={text.reason} value={reason} set={setReason} max={1000} required />
      {left && left.length > 0 && (
        <ul className="small" aria-label={text.notAccepted}>
          {left.map((l) => (
            <li key={l.account.id} dir="auto">
              <bdi>{loginOf(l.account)}</bdi>: <span className="bad">{l.why}</span>
            </li>
          ))}
        </ul>
      )}
    </ConfirmDialog>
  );
}

/** Accepts one, and answers why that was refused. */
async function accepted(a: Account, reason: string): Promise<string | undefined> {
  try {
    await ask("POST", `/accounts/${a.id}/ignore`, { body: { reason }, ifMatch: a.version });
  } catch (e) {
    if (!(e instanceof Refusal) || e.status === 0 || e.status >= 500) throw e;
    return e.status === 412 ? text.changedBySomeoneElse : e.message;
  }
  return undefined;
}

/** The account as it is now: one that was changed in the meantime is accepted the next time, when it has been told of. */
const newest = (a: Account) => ask<Account>("GET", `/accounts/${a.id}`).catch(() => a);
