import { Plus } from "lucide-react";
import { useState } from "react";
import * as text from "#text/tenants";
import type { Of } from "../../api/types";
import { Dialog } from "../../kit/dialog";
import { Verbatim } from "../../kit/elements";
import { Button, Head, Note, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { invitation } from "../users/link";
import { CreateTenant } from "./create";

type Tenancy = Of<"Tenancy">;

const columns: Column<Tenancy>[] = [
  {
    title: text.name,
    cell: (t) => (
      <Link to="/admin/tenants/$id" params={{ id: t.id }}>
        <Text of={t.name} />
      </Link>
    ),
    text: (t) => t.name,
  },
  { title: text.shortName, cell: (t) => <code>{t.slug}</code>, text: (t) => t.slug },
  { title: text.state, cell: (t) => <State of={t.status} />, text: (t) => t.status },
  { title: text.stage, cell: (t) => <State of={t.funnel_state} />, text: (t) => t.funnel_state },
  { title: text.region, cell: (t) => t.region, text: (t) => t.region },
  { title: text.created, cell: (t) => <When at={t.created_at} />, text: (t) => t.created_at },
];

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.active, query: { status: "active" } },
  { name: text.suspended, query: { status: "suspended" } },
  { name: text.closing, query: { status: "closing" } },
];

/** Every tenant of the service, for its operators. */
export default function Tenants() {
  const [founding, setFounding] = useState(false);
  const [made, setMade] = useState<Of<"Founded">>();
  return (
    <>
      <Head title={text.tenants} lead={text.allTenantsOfThisServiceYour}>
        <Button tone="primary" onClick={() => setFounding(true)}>
          <Plus aria-hidden size={15} /> {text.createTenant}
        </Button>
      </Head>
      {made && (
        <Note tone="ok">
          <p>{text.tenantNameCreatedSendThisLink(<strong>{made.name}</strong>, made.admin.email)}</p>
          <Verbatim label={text.oneTimeLink} copy>
            {invitation(made.admin.sign_in_token, made.base_url)}
          </Verbatim>
        </Note>
      )}
      <List<Tenancy>
        path="/control-plane/tenants"
        columns={columns}
        views={views}
        search={text.names}
        csv="tenants"
        open={(t) => ({ to: "/admin/tenants/$id", params: { id: t.id } })}
        empty={{ title: text.noTenantsYet, words: text.createTheFirstTenant }}
      />
      <Dialog open={founding} close={() => setFounding(false)} title={text.createTenant} wide>
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
