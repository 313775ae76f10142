import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/accounts";
import { ask } from "../../api/client";
import type { Account, Of } from "../../api/types";
import { number } from "../../kit/count";
import { ConfirmDialog } from "../../kit/dialog";
import { SelectField, TextField } from "../../kit/form";
import { Button, Note } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { loginOf } from "./columns";
import { DisableAll } from "./disableall";
import { IgnoreAll } from "./ignoreall";
import { LinkTry } from "./linktry";

type By = "email" | "employee_number" | "username";

/** What can be done with several accounts at once: disable them, assign owners by a field that both have, or accept them without one. */
export function Bulk({ of, clear }: { of: Account[]; clear: () => void }) {
  const [doing, setDoing] = useState<"link" | "ignore" | "disable">();
  const close = () => setDoing(undefined);
  return (
    <>
      <Button tone="danger" onClick={() => setDoing("disable")}>
        {text.disable}
      </Button>
      <Button onClick={() => setDoing("link")}>{text.assignOwners}</Button>
      <Button onClick={() => setDoing("ignore")}>{text.acceptAsUnowned}</Button>
      {doing === "link" && <LinkAll of={of} close={close} clear={clear} />}
      {doing === "disable" && <DisableAll of={of} close={close} clear={clear} />}
      {doing === "ignore" && <IgnoreAll of={of} close={close} clear={clear} />}
    </>
  );
}

type Props = { of: Account[]; close: () => void; clear: () => void };

function LinkAll({ of, close, clear }: Props) {
  const queries = useQueryClient();
  const [by, setBy] = useState<By>("email");
  const [reason, setReason] = useState("");
  const [key] = useState(() => crypto.randomUUID());
  const known = of.filter((a) => a[by]);
  const pairs = known.map((a) => ({ account_id: a.id, ...(by === "username" ? { email: a.username } : { [by]: a[by] }) }));
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.assignOwnersToAccounts(of.length)}
      lead={text.theOwnerIsThePersonWhose}
      verb={text.assignOwners}
      disabled={pairs.length === 0 || !reason.trim()}
      act={async () => {
        const r = await ask<Of<"BulkLinked">>("POST", "/accounts/bulk-link", { body: { pairs, reason }, key });
        showToast(
          text.linkedAssignedUnchangedUnchangedFailedFailed(number(r.counts.linked), number(r.counts.unchanged), number(r.counts.failed)),
        );
        await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/accounts") });
        clear();
      }}
    >
      <SelectField
        label={text.matchBy}
        value={by}
        set={setBy}
        options={[
          ["email", text.eMailAddress],
          ["employee_number", text.employeeNumberLower],
          ["username", text.loginAsAnEMailAddress],
        ]}
      />
      {known.length < of.length && <Note tone="warn">{text.accountsHaveNoSuchValueAnd(of.length - known.length)}</Note>}
      <TextField label={text.reason} value={reason} set={setReason} max={1000} required />
      {pairs.length > 0 && <LinkTry body={{ pairs }} names={new Map(of.map((a) => [a.id, loginOf(a)]))} />}
    </ConfirmDialog>
  );
}
