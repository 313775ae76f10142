import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/settings";
import { ask } from "../../api/client";
import { createPasskey, type PasskeyOptions, passkeysWork } from "../../api/passkey";
import type { Me, Of } from "../../api/types";
import { useGet } from "../../api/use";
import { useSignInOptions } from "../../app/signinoptions";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Badge, Button, Failure, Part, Skeleton, Table, When } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { Proof, proofOf, ready, useProof } from "./proof";
import { OwnSettings, reauthentication } from "./reauthentication";

type Passkey = Of<"Passkey">;

/** The own passkeys: a list, and the ways to add, rename and delete one. */
export function Passkeys({ of }: { of: Me }) {
  const [open, setOpen] = useState<{ what: "add" } | { what: "rename" | "delete"; key: Passkey }>();
  const options = useSignInOptions("");
  const keys = useGet<Of<"ListPasskey">>("/auth/passkeys", { limit: 100 });
  const queries = useQueryClient();
  const close = () => {
    setOpen(undefined);
    void queries.invalidateQueries({ queryKey: ["/auth/me"] });
    void queries.invalidateQueries({ queryKey: ["/auth/passkeys"] });
  };
  const works = passkeysWork(options.data?.passkey_origin);
  return (
    <Part
      title={text.passkeys}
      actions={
        works &&
        of.password_set !== false && (
          <Button tone="primary" onClick={() => setOpen({ what: "add" })}>
            {text.addPasskey}
          </Button>
        )
      }
    >
      {options.data && <Availability origin={options.data.passkey_origin} password={of.password_set !== false} />}
      {keys.isPending ? (
        <Skeleton rows={1} />
      ) : keys.isError ? (
        <Failure error={keys.error} retry={() => void keys.refetch()} />
      ) : keys.data.items.length === 0 ? (
        <p className="card padded muted">{text.noPasskeysYet}</p>
      ) : (
        <List of={keys.data.items} open={(what, key) => setOpen({ what, key })} />
      )}
      {open?.what === "add" && <Add of={of} close={close} />}
      {open?.what === "rename" && <Rename of={open.key} close={close} />}
      {open?.what === "delete" && <Delete of={open.key} me={of} close={close} />}
    </Part>
  );
}

/** Why passkeys cannot be used here, if they cannot. */
function Availability({ origin, password }: { origin: string; password: boolean }) {
  if (!origin) return <p className="small muted">{text.passkeysAreNotAvailable}</p>;
  if (origin !== location.origin)
    return <p className="small muted">{text.passkeysWorkAt(<a href={`${origin}/settings/me`}>{origin}</a>)}</p>;
  return password ? null : <p className="small muted">{text.passkeysNeedAPassword}</p>;
}

function List({ of, open }: { of: Passkey[]; open: (what: "rename" | "delete", key: Passkey) => void }) {
  return (
    <Table label={text.passkeys}>
      <thead>
        <tr>
          <th scope="col">{text.name}</th>
          <th scope="col">{text.created}</th>
          <th scope="col">{text.lastUsed}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {of.map((k) => (
          <tr key={k.id}>
            <td>
              <bdi>{k.name}</bdi> {k.synced && <Badge>{text.synced}</Badge>}
            </td>
            <td>
              <When at={k.created_at} />
            </td>
            <td>{k.last_used_at ? <When at={k.last_used_at} /> : text.neverUsed}</td>
            <td className="row end">
              <Button onClick={() => open("rename", k)} aria-label={text.renamePasskeyName(k.name)}>
                {text.rename}
              </Button>
              <Button tone="danger" onClick={() => open("delete", k)} aria-label={text.deletePasskeyName(k.name)}>
                {text.deleteLabel}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Add({ of, close }: { of: Me; close: () => void }) {
  const [name, setName] = useState("");
  const [proof, setProof] = useProof(of);
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.addAPasskey}
      verb={text.continueLabel}
      disabled={!name.trim() || !ready(proof)}
      act={async () => {
        const body = await proofOf(proof);
        const begun = await reauthentication(ask<PasskeyOptions>("POST", "/auth/passkeys/registration", { body }));
        await ask("POST", "/auth/passkeys", { body: { name, credential: await createPasskey(begun) } });
        showToast(text.passkeyAdded);
      }}
    >
      <OwnSettings>
        <TextField label={text.nameOfPasskey} hint={text.nameThePasskeyAfter} value={name} set={setName} max={100} required autoFocus />
        <Proof of={of} value={proof} set={setProof} />
      </OwnSettings>
    </ConfirmDialog>
  );
}

function Rename({ of, close }: { of: Passkey; close: () => void }) {
  const [name, setName] = useState(of.name);
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.renamePasskey}
      verb={text.rename}
      disabled={!name.trim()}
      act={async () => {
        await ask("PATCH", `/auth/passkeys/${of.id}`, { body: { name } });
        showToast(text.passkeyRenamed);
      }}
    >
      <OwnSettings>
        <TextField label={text.nameOfPasskey} value={name} set={setName} max={100} required autoFocus />
      </OwnSettings>
    </ConfirmDialog>
  );
}

function Delete({ of, me, close }: { of: Passkey; me: Me; close: () => void }) {
  const [proof, setProof] = useProof(me);
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.deletePasskey}
      lead={text.itNoLongerSignsYouIn}
      verb={text.deleteLabel}
      tone="danger"
      disabled={!ready(proof)}
      act={async () => {
        await reauthentication(ask("DELETE", `/auth/passkeys/${of.id}`, { body: await proofOf(proof) }));
        showToast(text.passkeyDeleted);
      }}
    >
      <OwnSettings>
        <Proof of={me} value={proof} set={setProof} />
      </OwnSettings>
    </ConfirmDialog>
  );
}
