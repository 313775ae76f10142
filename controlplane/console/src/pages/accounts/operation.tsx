import { useState } from "react";
import * as text from "#text/accounts";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { Verbatim } from "../../kit/elements";
import { Check, TextField } from "../../kit/form";
import { Note } from "../../kit/kit";

export type OperationKind = "disable" | "enable" | "unlock" | "delete" | "rename" | "reset-password";

const texts: Record<OperationKind, { title: string; verb: string; lead: string }> = {
  disable: { title: text.disableAccount, verb: text.disable, lead: text.theAccountCannotBeUsedTo },
  enable: { title: text.enableAccount, verb: text.enable, lead: text.theAccountCanBeUsedTo },
  unlock: { title: text.unlockAccount, verb: text.unlock, lead: text.clearsALockCausedByWrong },
  delete: {
    title: text.deleteAccount,
    verb: text.deleteLabel,
    lead: text.theAccountIsDisabledFirstThen,
  },
  rename: { title: text.renameOrMoveAccount, verb: text.rename, lead: text.emptyFieldsStayUnchanged },
  "reset-password": {
    title: text.resetPassword,
    verb: text.reset,
    lead: text.setsARandomPasswordThatIs,
  },
};

/** Orders a change of an account in its system. What would be sent is shown first, to the last byte. */
export function AccountOperation({ of: a, what, close }: { of: Of<"AccountDetail">; what: OperationKind; close: () => void }) {
  const [note, setNote] = useState("");
  const [name, setName] = useState(a.username ?? "");
  const [container, setContainer] = useState("");
  const [force, setForce] = useState(true);
  const t = texts[what];
  const path = `/accounts/${a.id}/${what}`;
  const renaming =
    what === "rename" ? { ...(name !== (a.username ?? "") ? { username: name } : {}), ...(container ? { container } : {}) } : {};
  const body = { ...renaming, ...(what === "reset-password" ? { force_change: force } : {}) };
  const ready = what !== "rename" || Object.keys(renaming).length > 0;
  const preview = useDryRun<Of<"Accepted">>(path, body, ready);
  const order = useAct<void, Of<"Accepted">>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body: { ...body, note: note.trim() || undefined }, key }),
    done: () => text.provisioningTaskCreatedThePageOf,
    changes: ["/accounts"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={t.title}
      lead={t.lead}
      verb={t.verb}
      tone={what === "delete" || what === "disable" ? "danger" : "primary"}
      disabled={!ready || Boolean(preview.error)}
      act={() => order.mutateAsync()}
    >
      {what === "rename" && (
        <>
          <TextField label={text.login} value={name} set={setName} max={256} />
          <TextField label={text.container} value={container} set={setContainer} max={1000} mono hint={text.theDnOfTheParentEntry} />
        </>
      )}
      {what === "reset-password" && <Check label={text.requireANewPasswordAtThe} value={force} set={setForce} />}
      <TextField label={text.note} value={note} set={setNote} max={1000} hint={text.recordedWithTheChangeAndIn} />
      {ready && <DryRun of={preview}>{(p) => <Plan of={p} />}</DryRun>}
    </ConfirmDialog>
  );
}

const operation = /^[a-z]+\.[a-z_]+$/; // a note that is no more than the name of the change, which the title says in words

function Plan({ of }: { of: Of<"Accepted"> }) {
  return (
    <>
      {of.error && <Note tone="warn">{of.error.message}</Note>}
      {(of.plan ?? []).map((p, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: requests stay in their order
        <div key={i} className="stack tight">
          {p.note && !operation.test(p.note) && <p className="small">{p.note}</p>}
          {p.ldap && <Verbatim label={text.changeRecord}>{p.ldap.ldif}</Verbatim>}
          {p.http && (
            <Verbatim label={text.request}>
              {p.http.body
                ? text.methodUrlBody(
                    p.http.method,
                    p.http.url,
                    typeof p.http.body === "string" ? p.http.body : JSON.stringify(p.http.body, null, 2),
                  )
                : text.methodUrl(p.http.method, p.http.url)}
            </Verbatim>
          )}
        </div>
      ))}
      {(of.plan ?? []).length === 0 && !of.error && <p className="small muted">{text.noRequestWouldBeSent}</p>}
    </>
  );
}
