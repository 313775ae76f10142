import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask, type Page } from "../../api/client";
import { useAct, useGet, useMay } from "../../api/use";
import { Id } from "../../kit/bits";
import { Add } from "../../kit/add";
import { DeleteFirst } from "../../kit/deletefirst";
import { AskFirst, Dialog } from "../../kit/dialog";
import { Button, Empty, Facts, Failure, Head, Note, Skeleton } from "../../kit/kit";
import { State } from "../../kit/state";
import { sayRefusal } from "../../kit/toast";
import { type Provider, ProviderForm } from "./providerform";

/** The OpenID Connect providers by which the tenant's people sign in. */
export default function Providers() {
  const found = useGet<Page<Provider>>("/settings/identity-providers", { limit: 100 });
  const [open, setOpen] = useState<Provider | "new">();
  return (
    <>
      <Head
        title="Single sign-on"
        lead="People sign in by your own identity provider (OpenID Connect), and get their roles from its groups."
        up={<Link to="/settings">Settings</Link>}
      >
        <Add words="Add a provider" act={() => setOpen("new")} />
      </Head>
      {found.isPending ? (
        <Skeleton rows={3} />
      ) : found.isError && !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : found.data.items.length === 0 ? (
        <Empty title="Everybody signs in by password">Add your identity provider, and its people sign in there.</Empty>
      ) : (
        found.data.items.map((p) => <Card key={p.id} of={p} edit={() => setOpen(p)} />)
      )}
      {open !== undefined && (
        <Dialog wide open close={() => setOpen(undefined)} title={open === "new" ? "Add a provider" : `Change ${open.name}`}>
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
    done: (_, enabled) => (enabled ? "People can sign in by it" : "Nobody signs in by it any more"),
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
            <Button onClick={edit}>Change</Button>
            <Button onClick={() => (of.enabled ? setAsking("off") : turn.mutate(true, { onError: sayRefusal }))}>
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
          ["Secret", of.client_secret.set ? "is set" : "none: a public client"],
          ["E-mail domains", of.domains.join(", ") || "any"],
          ["Unknown people", of.create_users ? "become users" : "are turned away"],
          ["Groups are told by", of.group_claim && <code key="g">{of.group_claim}</code>],
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
          lead="Nobody signs in by it until it is enabled again."
          verb="Disable"
          tone="danger"
          act={() => turn.mutateAsync(false)}
        />
      )}
      {asking === "delete" && (
        <DeleteFirst
          close={() => setAsking(undefined)}
          title={`Delete ${of.name}?`}
          lead="Nobody signs in by it any more. The sessions that it opened end at once, and the roles that its groups gave go, but for those of the last administrator."
          path={path}
          list="/settings/identity-providers"
          version={of.version}
          done="Deleted"
        />
      )}
    </section>
  );
}
