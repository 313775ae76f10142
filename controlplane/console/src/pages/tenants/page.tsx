import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { Of } from "../../api/types";
import { Dialog } from "../../kit/dialog";
import { Verbatim } from "../../kit/elements";
import { Button, Head, Note, Text, When } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { invitation } from "../users/link";
import { CreateTenant } from "./create";

type Tenancy = Of<"Tenancy">;

const columns: Column<Tenancy>[] = [
  {
    title: "Name",
    cell: (t) => (
      <Link to="/admin/tenants/$id" params={{ id: t.id }}>
        <Text of={t.name} />
      </Link>
    ),
    text: (t) => t.name,
  },
  { title: "Short name", cell: (t) => <code>{t.slug}</code>, text: (t) => t.slug },
  { title: "State", cell: (t) => <State of={t.status} />, text: (t) => t.status },
  { title: "Stage", cell: (t) => <State of={t.funnel_state} />, text: (t) => t.funnel_state },
  { title: "Region", cell: (t) => t.region, text: (t) => t.region },
  { title: "Created", cell: (t) => <When at={t.created_at} />, text: (t) => t.created_at },
];

const views: View[] = [
  { name: "All", query: {} },
  { name: "Active", query: { status: "active" } },
  { name: "Suspended", query: { status: "suspended" } },
  { name: "Closing", query: { status: "closing" } },
];

/** Every tenant of the service, for its operators. */
export default function Tenants() {
  const [founding, setFounding] = useState(false);
  const [made, setMade] = useState<Of<"Founded">>();
  return (
    <>
      <Head title="Tenants" lead="All tenants of this service. Your actions here are recorded in the operators' audit log.">
        <Button tone="primary" onClick={() => setFounding(true)}>
          <Plus aria-hidden size={15} /> Create tenant
        </Button>
      </Head>
      {made && (
        <Note tone="ok">
          <p>
            Tenant <strong>{made.name}</strong> created. Send this link to {made.admin.email} to set a password and sign in. It works once,
            within one hour, and is not shown again. If it is lost, act in the tenant and create another link under Settings, Users.
          </p>
          <Verbatim label="One-time link" copy>
            {invitation(made.admin.sign_in_token, made.base_url)}
          </Verbatim>
        </Note>
      )}
      <List<Tenancy>
        path="/control-plane/tenants"
        columns={columns}
        views={views}
        search="names"
        csv="tenants"
        open={(t) => ({ to: "/admin/tenants/$id", params: { id: t.id } })}
        empty={{ title: "No tenants yet", words: "Create the first tenant." }}
      />
      <Dialog open={founding} close={() => setFounding(false)} title="Create tenant" wide>
        <CreateTenant
          cancel={() => setFounding(false)}
          done={(t) => {
            setMade(t);
            setFounding(false);
          }}
        />
      </Dialog>
    </>
  );
}
