import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask, type Page } from "../../api/client";
import { useAct, useGet, useMay } from "../../api/use";
import { Add } from "../../kit/addbutton";
import { DeleteFirst } from "../../kit/deletefirst";
import { AskFirst, Dialog } from "../../kit/dialog";
import { Id } from "../../kit/elements";
import { Button, Empty, Facts, Failure, Head, Note, Skeleton } from "../../kit/kit";
import { State } from "../../kit/state";
import { showRefusal } from "../../kit/toast";
import { type Provider, ProviderForm } from "./providerform";

/** The OpenID Connect providers by which the tenant's people sign in. */
export default function Providers() {
  const found = useGet<Page<Provider>>("/settings/identity-providers", { limit: 100 });
  const [open, setOpen] = useState<Provider | "new">();
  return (
    <>
      <Head
        title="Single sign-on"
        lead="People sign in with your identity provider (OpenID Connect) and get roles from its groups."
        up={<Link to="/settings">Settings</Link>}
      >
        <Add words="Add provider" act={() => setOpen("new")} />
      </Head>
      {found.isPending ? (
        <Skeleton rows={3} />
      ) : found.isError && !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : found.data.items.length === 0 ? (
        <Empty title="No identity providers yet">Add your identity provider to enable single sign-on.</Empty>
      ) : (
        found.data.items.map((p) => <Card key={p.id} of={p} edit={() => setOpen(p)} />)
      )}
      {open !== undefined && (
        <Dialog wide open close={() => setOpen(undefined)} title={open === "new" ? "Add provider" : `Edit ${open.name}`}>
          <Note>
            Register this redirect address at the provider: <Id of={`${window.location.origin}/api/v1/auth/oidc/callback`} />
          </Note>
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
    done: (_, enabled) => (enabled ? "Provider enabled" : "Provider disabled"),
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
            <Button onClick={edit}>Edit</Button>
            <Button onClick={() => (of.enabled ? setAsking("off") : turn.mutate(true, { onError: showRefusal }))}>
              {of.enabled ? "Disable" : "Enable"}
            </Button>
            <Button tone="danger" onClick={() => setAsking("delete")}>
              Delete
            </Button>
          </div>
        )}
      </div>
      <Facts
        of={[
          ["Issuer", <code key="i">{of.issuer}</code>],
          ["Client", <code key="c">{of.client_id}</code>],
          ["Secret", of.client_secret.set ? "is set" : "none (public client)"],
          ["E-mail domains", of.domains.join(", ") || "any"],
          ["Unknown users", of.create_users ? "are created" : "are rejected"],
          ["Groups claim", of.group_claim && <code key="g">{of.group_claim}</code>],
          [
            "Roles",
            Object.entries(of.role_mapping)
              .map(([group, roles]) => `${group}: ${(roles ?? []).join(", ")}`)
              .join("; "),
          ],
        ]}
      />
      {asking === "off" && (
        <AskFirst
          open
          close={() => setAsking(undefined)}
          title={`Disable ${of.name}?`}
          lead="Users cannot sign in with this provider until it is enabled again."
          verb="Disable"
          tone="danger"
          act={() => turn.mutateAsync(false)}
        />
      )}
      {asking === "delete" && (
        <DeleteFirst
          close={() => setAsking(undefined)}
          title={`Delete ${of.name}?`}
          lead="Users can no longer sign in with this provider. Its sessions end at once, and roles from its groups end, except those of the last administrator."
          path={path}
          list="/settings/identity-providers"
          version={of.version}
          done="Provider deleted"
        />
      )}
    </section>
  );
}
