import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { DryRun, useDryRun } from "../../kit/dryrun";
import { Verbatim } from "../../kit/elements";
import { Check, TextField } from "../../kit/form";
import { Note } from "../../kit/kit";

export type OperationKind = "disable" | "enable" | "unlock" | "delete" | "rename" | "reset-password";

const texts: Record<OperationKind, { title: string; verb: string; lead: string }> = {
  disable: { title: "Disable account", verb: "Disable", lead: "The account cannot be used to sign in. It keeps its access." },
  enable: { title: "Enable account", verb: "Enable", lead: "The account can be used to sign in again." },
  unlock: { title: "Unlock account", verb: "Unlock", lead: "Clears a lock caused by wrong passwords." },
  delete: {
    title: "Delete account",
    verb: "Delete",
    lead: "The account is disabled first, then deleted in its system. You cannot undo this.",
  },
  rename: { title: "Rename or move account", verb: "Rename", lead: "Empty fields stay unchanged." },
  "reset-password": {
    title: "Reset password",
    verb: "Reset",
    lead: "Sets a random password that is not shown. The owner sets a new one with the password reset of the system.",
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
  const tried = useDryRun<Of<"Accepted">>(path, body, ready);
  const order = useAct<void, Of<"Accepted">>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body: { ...body, note: note.trim() || undefined }, key }),
    done: (r) => r.note || "Provisioning task created. The page of the account shows its state.",
    changes: ["/accounts"],
  });
  return (
    <AskFirst
      open
      close={close}
      title={t.title}
      lead={t.lead}
      verb={t.verb}
      tone={what === "delete" || what === "disable" ? "danger" : "primary"}
      disabled={!ready || Boolean(tried.error)}
      act={() => order.mutateAsync()}
    >
      {what === "rename" && (
        <>
          <TextField label="Login" value={name} set={setName} max={256} />
          <TextField
            label="Container"
            value={container}
            set={setContainer}
            max={1000}
            mono
            hint="The DN of the parent entry in a directory."
          />
        </>
      )}
      {what === "reset-password" && <Check label="Require a new password at the next sign-in" value={force} set={setForce} />}
      <TextField label="Note" value={note} set={setNote} max={1000} hint="Recorded with the change and in the audit log." />
      {ready && <DryRun of={tried}>{(p) => <Plan of={p} />}</DryRun>}
    </AskFirst>
  );
}

const operation = /^[a-z]+\.[a-z_]+$/; // a note that is no more than the name of the change, which the title says in words

function Plan({ of }: { of: Of<"Accepted"> }) {
  return (
    <>
      {of.note && <p className="small">{of.note}</p>}
      {of.error && <Note tone="warn">{of.error.message}</Note>}
      {(of.plan ?? []).map((p, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: requests stay in their order
        <div key={i} className="stack tight">
          {p.note && !operation.test(p.note) && <p className="small">{p.note}</p>}
          {p.ldap && <Verbatim label="Change record">{p.ldap.ldif}</Verbatim>}
          {p.http && (
            <Verbatim label="Request">
              {`${p.http.method} ${p.http.url}${p.http.body ? `\n\n${typeof p.http.body === "string" ? p.http.body : JSON.stringify(p.http.body, null, 2)}` : ""}`}
            </Verbatim>
          )}
        </div>
      ))}
      {(of.plan ?? []).length === 0 && !of.error && <p className="small muted">No request would be sent.</p>}
    </>
  );
}
