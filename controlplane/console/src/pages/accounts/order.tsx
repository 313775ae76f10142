import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Verbatim } from "../../kit/bits";
import { AskFirst } from "../../kit/dialog";
import { Check, TextField } from "../../kit/form";
import { Note } from "../../kit/kit";
import { Tried, useTry } from "../../kit/tryfirst";

export type Ordering = "disable" | "enable" | "unlock" | "delete" | "rename" | "reset-password";

const texts: Record<Ordering, { title: string; verb: string; lead: string }> = {
  disable: { title: "Disable the account", verb: "Disable it", lead: "Nobody can sign in with it. What it holds stays." },
  enable: { title: "Enable the account", verb: "Enable it", lead: "It can be signed in with again." },
  unlock: { title: "Unlock the account", verb: "Unlock it", lead: "After too many wrong passwords." },
  delete: {
    title: "Delete the account",
    verb: "Delete it",
    lead: "It is disabled first, then deleted in its system. That cannot be taken back.",
  },
  rename: { title: "Rename or move the account", verb: "Rename it", lead: "What is left out stays as it is." },
  "reset-password": {
    title: "Reset the password",
    verb: "Reset it",
    lead: "A random password that nobody is told: the owner gets a new one by the system's own way.",
  },
};

/** Orders a change of an account in its system. What would be sent is shown first, to the last byte. */
export function Order({ of: a, what, close }: { of: Of<"AccountDetail">; what: Ordering; close: () => void }) {
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
  const tried = useTry<Of<"Accepted">>(path, body, ready);
  const order = useAct<void, Of<"Accepted">>({
    quiet: true,
    act: (_, key) => ask("POST", path, { body: { ...body, note: note.trim() || undefined }, key }),
    done: (r) => r.note || "It is ordered. How far it is stands on the page of the account.",
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
          <TextField label="Where it lies" value={container} set={setContainer} max={1000} mono hint="The parent's DN, in a directory." />
        </>
      )}
      {what === "reset-password" && <Check label="It has to be changed at the first sign-in" value={force} set={setForce} />}
      <TextField label="Note" value={note} set={setNote} max={1000} hint="It stays with the change, and goes into the audit log." />
      {ready && <Tried of={tried}>{(p) => <Plan of={p} />}</Tried>}
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
          {p.ldap && <Verbatim label="The change record">{p.ldap.ldif}</Verbatim>}
          {p.http && (
            <Verbatim label="The request">
              {`${p.http.method} ${p.http.url}${p.http.body ? `\n\n${typeof p.http.body === "string" ? p.http.body : JSON.stringify(p.http.body, null, 2)}` : ""}`}
            </Verbatim>
          )}
        </div>
      ))}
      {(of.plan ?? []).length === 0 && !of.error && <p className="small muted">Nothing would be sent.</p>}
    </>
  );
}
