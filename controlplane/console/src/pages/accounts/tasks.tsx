import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import * as text from "#text/accounts";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Part, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";

const over = ["done", "failed", "cancelled", "simulated"];

const words: Record<string, string> = {
  create_account: text.createAccount,
  update_account: text.updateAccount,
  rename_account: text.renameOrMoveAccount,
  enable: text.enableAccount,
  disable: text.disableAccount,
  delete_account: text.deleteAccount,
  unlock: text.unlockAccount,
  set_password: text.setPassword,
  grant: text.grant,
  revoke: text.revoke,
};

/** The last changes that the system of an account was told, or is to be. It looks again while one is under way. */
export function AccountTasks({ of }: { of: string }) {
  const tasks = useGet<Of<"TaskList">>("/accounts/provisioning-tasks", { account_id: of, limit: 5 });
  const open = tasks.data?.items.some((t) => !over.includes(t.state)) ?? false;
  // The same question again, which every answer of it is kept under: as long as something is open it is asked every two seconds.
  useGet<Of<"TaskList">>("/accounts/provisioning-tasks", { account_id: of, limit: 5 }, { every: 2000, enabled: open });
  useRead(of, tasks.data && endedOf(tasks.data.items));
  if (!tasks.data || tasks.data.items.length === 0) return null;
  return (
    <Part title={text.provisioningTasks} lead={open ? text.runningTasksAreRefreshedEveryTwo : undefined}>
      <ul className="card account-tasks" aria-live="polite">
        {tasks.data.items.map((t) => (
          <li key={t.id}>
            <State of={t.state} tone={t.state === "done" ? "ok" : t.state === "blocked" ? "warn" : undefined} />
            <span className="grow">
              {words[t.operation] ?? t.operation} {t.entitlement && <bdi>{t.entitlement.display}</bdi>}
              {t.waiting && <small className="muted"> {text.waiting}</small>}
              {t.error && (
                <small className="bad" dir="auto">
                  {" "}
                  {t.error.message}
                </small>
              )}
            </span>
            <span className="small muted">
              <When at={t.finished_at ?? t.created_at} />
            </span>
            <Link to="/provisioning" search={{ task: t.id }} className="button">
              {text.open}
            </Link>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** Which of the changes have ended, and how. */
const endedOf = (tasks: Of<"Task">[]) =>
  tasks
    .filter((t) => over.includes(t.state))
    .map((t) => `${t.id} ${t.state}`)
    .join();

/** Reads the account again when a change of it has ended: what its page says and offers is otherwise that of before. */
function useRead(of: string, ended: string | undefined) {
  const queries = useQueryClient();
  const known = useRef(ended);
  useEffect(() => {
    if (known.current !== undefined && ended !== undefined && known.current !== ended) {
      void queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith(`/accounts/${of}`) });
    }
    known.current = ended;
  }, [of, ended, queries]);
}
