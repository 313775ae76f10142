import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/accounts";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Account } from "../../api/types";
import { number } from "../../kit/count";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Note } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { loginOf } from "./columns";

type Props = { of: Account[]; close: () => void; clear: () => void };

const usable = (a: Account) => !a.is_disabled && ["active", "locked"].includes(a.status) && a.managed !== "protected";

/** Disables several accounts in their systems, one order each. What was refused is listed and stays selected to be tried again. */
export function DisableAll({ of, close, clear }: Props) {
  const queries = useQueryClient();
  const [note, setNote] = useState("");
  const [done, setDone] = useState<ReadonlyMap<string, string>>(new Map()); // what was refused, by account; nothing where it was not
  const [keys] = useState(() => new Map(of.map((a) => [a.id, crypto.randomUUID()])));
  const able = of.filter(usable);
  const refused = [...done].filter(([, why]) => why);
  const act = async () => {
    const outcome = new Map([...done].filter(([, why]) => !why));
    for (const a of able) {
      if (outcome.has(a.id)) continue;
      outcome.set(a.id, await disable(a, note.trim(), keys.get(a.id) ?? ""));
      setDone(new Map(outcome));
    }
    await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/accounts") });
    const failed = [...outcome.values()].filter(Boolean).length;
    if (failed > 0)
      throw new Error(`${number(failed)} of ${text.accountsLower(able.length)} could not be disabled. The list above shows the reasons.`);
    showToast(text.accountsAreBeingDisabled(able.length));
    clear();
  };
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.disableAccounts(able.length)}
      lead={text.disabledAccountsCannotBeUsedTo}
      verb={text.disable}
      tone="danger"
      disabled={able.length === 0}
      act={act}
    >
      {able.length < of.length && <Note tone="warn">{text.selectedAccountsAreAlreadyDisabledOr(of.length - able.length)}</Note>}
      <TextField label={text.note} value={note} set={setNote} max={1000} hint={text.recordedWithEachChangeAndIn} />
      {done.size > 0 && (
        <p className="small" role="status">
          {text.sizeOfCountSent(number(done.size), number(able.length))}
        </p>
      )}
      {refused.length > 0 && (
        <ul className="small" aria-label={text.notDisabled}>
          {refused.map(([id, why]) => (
            <li key={id}>
              <bdi>{loginOf(of.find((a) => a.id === id) as Account)}</bdi>: {why}
            </li>
          ))}
        </ul>
      )}
    </ConfirmDialog>
  );
}

/** Orders one account to be disabled; answers why it was refused, or nothing. */
async function disable(a: Account, note: string, key: string): Promise<string> {
  try {
    await ask("POST", `/accounts/${a.id}/disable`, { key, body: note ? { note } : {} });
    return "";
  } catch (e) {
    return e instanceof Refusal ? e.message : String(e);
  }
}
