import { useState } from "react";
import * as text from "#text/users";
import { ask, type Page } from "../../api/client";
import { useAct, useGet, useMay } from "../../api/use";
import { Add } from "../../kit/addbutton";
import { DeleteFirst } from "../../kit/deletefirst";
import { ConfirmDialog, Dialog } from "../../kit/dialog";
import { Id } from "../../kit/elements";
import { Button, Empty, Facts, Failure, Head, Note, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { showRefusal } from "../../kit/toast";
import { type Provider, ProviderForm } from "./providerform";

/** The OpenID Connect providers by which the tenant's people sign in. */
export default function Providers() {
  const found = useGet<Page<Provider>>("/settings/identity-providers", { limit: 100 });
  const [open, setOpen] = useState<Provider | "new">();
  return (
    <>
      <Head title={text.singleSignOn} lead={text.peopleSignInWithYourIdentity} up={<Link to="/settings">{text.settings}</Link>}>
        <Add words={text.addProvider} act={() => setOpen("new")} />
      </Head>
      {found.isPending ? (
        <Skeleton rows={3} />
      ) : found.isError && !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : found.data.items.length === 0 ? (
        <Empty title={text.noIdentityProvidersYet}>{text.addYourIdentityProviderToEnable}</Empty>
      ) : (
        found.data.items.map((p) => <Card key={p.id} of={p} edit={() => setOpen(p)} />)
      )}
      {open !== undefined && (
        <Dialog wide open close={() => setOpen(undefined)} title={open === "new" ? text.addProvider : text.editName(open.name)}>
          <Note>{text.registerThisRedirectAddressAtThe(<Id of={`${window.location.origin}/api/v1/auth/oidc/callback`} />)}</Note>
          <ProviderForm of={open === "new" ? undefined : open} done={() => setOpen(undefined)} />
        </Dialog>
      )}
    </>
  );
}

function Card({ of, edit }: { of: Provider; edit: () => void }) {
  const may = useMay();
  const [asking, setAsking] = useState<"off" | "delete">();
  const path = `/settings/identity-providers/${of.id}`;
  const turn = useAct({
    act: (enabled: boolean, key) => ask("PATCH", path, { body: { enabled }, key, ifMatch: of.version }),
    done: (_, enabled) => (enabled ? text.providerEnabled : text.providerDisabled),
    changes: ["/settings/identity-providers"],
    quiet: true,
  });
  return (
    <section className="card padded stack" aria-label={of.name}>
      <div className="row between">
        <h2>
          {of.name} <State of={of.enabled ? "enabled" : "disabled"} />
        </h2>
        {may.admin && (
          <div className="row">
            <Button onClick={edit}>{text.edit}</Button>
            <Button onClick={() => (of.enabled ? setAsking("off") : turn.mutate(true, { onError: showRefusal }))}>
              {of.enabled ? text.disable : text.enable}
            </Button>
            <Button tone="danger" onClick={() => setAsking("delete")}>
              {text.deleteLabel}
            </Button>
          </div>
        )}
      </div>
      <Facts
        of={[
          [text.issuer, <code key="i">{of.issuer}</code>],
          [text.client, <code key="c">{of.client_id}</code>],
          [text.secret, of.client_secret.set ? text.isSet : text.nonePublicClient],
          [text.eMailDomains, of.domains.join(", ") || text.any],
          [text.unknownUsers, of.create_users ? text.areCreated : text.areRejected],
          [text.groupsClaim, of.group_claim && <code key="g">{of.group_claim}</code>],
          [
            text.roles,
            Object.entries(of.role_mapping)
              .map(([group, roles]) => `${group}: ${(roles ?? []).join(", ")}`)
              .join("; "),
          ],
        ]}
      />
      {asking === "off" && (
        <ConfirmDialog
          open
          close={() => setAsking(undefined)}
          title={text.disableName(of.name)}
          lead={text.usersCannotSignInWithThis}
          verb={text.disable}
          tone="danger"
          act={() => turn.mutateAsync(false)}
        />
      )}
      {asking === "delete" && (
        <DeleteFirst
          close={() => setAsking(undefined)}
          title={text.deleteName(of.name)}
          lead={text.usersCanNoLongerSignIn}
          path={path}
          list="/settings/identity-providers"
          version={of.version}
          done={text.providerDeleted}
        />
      )}
    </section>
  );
}
