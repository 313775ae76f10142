import { useState } from "react";
import * as text from "#text/accounts";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { SelectField, TextField } from "../../kit/form";
import { Menu } from "../../kit/menu";
import { AccountOperation, type OperationKind } from "./operation";

type Detail = Of<"AccountDetail">;

/** What an administrator can order of the system of an account, and say about it here. */
export function AccountActions({ of: a }: { of: Detail }) {
  const [doing, setDoing] = useState<OperationKind | "keep">();
  const begin = (what: OperationKind | "keep", words: string, danger = false) => ({ words, act: () => setDoing(what), danger });
  const close = () => setDoing(undefined);
  const gone = a.status === "deleted" || a.status === "missing";
  const writable = a.managed !== "protected" && !gone;
  return (
    <>
      <Menu
        words={text.actions}
        of={[
          writable && !a.is_disabled && begin("disable", text.disable),
          writable && a.is_disabled === true && begin("enable", text.enable),
          writable && a.is_locked === true && begin("unlock", text.unlock),
          writable && begin("rename", text.renameOrMove),
          writable && begin("reset-password", text.resetPassword),
          !gone && begin("keep", text.editKindAndManagement),
          writable && begin("delete", text.deleteLabel, true),
        ]}
      />
      {doing && doing !== "keep" && <AccountOperation of={a} what={doing} close={close} />}
      {doing === "keep" && <Keep of={a} close={close} />}
    </>
  );
}

const kinds = ["person", "privileged", "service", "shared", "system", "bot", "ai_agent", "break_glass", "unknown"] as const;

function Keep({ of: a, close }: { of: Detail; close: () => void }) {
  const [kind, setKind] = useState<string>(a.account_type ?? "unknown");
  const [kept, setKept] = useState<string>(a.managed ?? "managed");
  const [purpose, setPurpose] = useState(a.purpose ?? "");
  const save = useAct<void>({
    quiet: true,
    act: (_, key) =>
      ask("PATCH", `/accounts/${a.id}`, {
        body: { account_type: kind, managed: kept, purpose: purpose.trim() || null },
        key,
        ifMatch: a.version,
      }),
    done: text.saved,
    changes: ["/accounts"],
  });
  return (
    <ConfirmDialog open close={close} title={text.editKindAndManagement} verb={text.save} act={() => save.mutateAsync()}>
      <SelectField
        label={text.kind}
        value={kind}
        set={setKind}
        options={kinds.map((k) => [k as string, k.replaceAll("_", " ")] as const)}
      />
      <SelectField
        label={text.management}
        value={kept}
        set={setKept}
        options={[
          ["managed", text.managedChangedByPoliciesAndBy],
          ["discovered", text.discoveredPoliciesChangeItsAccessNot],
          ["read_only", text.readOnlyNeverChangedByPolicies],
          ["unmanaged", text.unmanagedNeverChangedByPolicies],
          ["protected", text.protectedNeverChanged],
        ]}
      />
      <TextField label={text.purpose} value={purpose} set={setPurpose} rows={2} max={1000} hint={text.thePurposeOfTheAccountIf} />
    </ConfirmDialog>
  );
}
