import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/webhooks";
import type { Of } from "../../api/types";
import { Add } from "../../kit/addbutton";
import { Dialog } from "../../kit/dialog";
import { Head, Text, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { Edit } from "./edit";
import { SecretOnce } from "./secret";
import "./webhooks.css";
import { stateOf, type Webhook, why } from "./words";

const columns: Column<Webhook>[] = [
  {
    title: text.webhook,
    cell: (w) => (
      <Link to="/settings/webhooks/$id" params={{ id: w.id }}>
        <Text of={w.name} />
      </Link>
    ),
    text: (w) => w.name,
  },
  { title: text.state, cell: (w) => <State of={stateOf(w)} />, text: stateOf },
  { title: text.address, cell: (w) => <Text of={w.url} />, text: (w) => w.url },
  {
    title: text.events,
    number: true,
    cell: (w) => <span title={w.events.join(", ")}>{w.events.length}</span>,
    text: (w) => w.events.join(" "),
  },
  { title: text.lastDelivered, cell: (w) => <When at={w.health.last_success_at} />, text: (w) => w.health.last_success_at },
  { title: text.reason, wide: true, cell: (w) => <span className="small">{why(w)}</span>, text: why },
];

/** Where events are sent to. */
export default function Webhooks() {
  const queries = useQueryClient();
  const navigate = useGo();
  const [making, make] = useState(false);
  const [made, setMade] = useState<Of<"Made">>();
  return (
    <div className="stack">
      <Head title={text.webhooks} lead={text.addressesThatReceiveSignedEventsFailed}>
        <Add words={text.createWebhook} act={() => make(true)} />
      </Head>
      <List<Webhook>
        path="/settings/webhooks"
        label={text.webhooks}
        columns={columns}
        every={15_000}
        csv="webhooks"
        filters={[
          {
            name: "enabled",
            words: text.state,
            options: [
              ["true", text.enabled],
              ["false", text.disabled],
            ],
          },
        ]}
        open={(w) => ({ to: "/settings/webhooks/$id", params: { id: w.id } })}
        empty={{
          title: text.noWebhooksYet,
          words: text.aWebhookNotifiesAnotherSystemFor,
        }}
      />
      <Dialog open={making} close={() => make(false)} wide title={text.createWebhook}>
        <Edit
          cancel={() => make(false)}
          done={(w) => {
            make(false);
            setMade(w as Of<"Made">);
            void queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/settings/webhooks") });
          }}
        />
      </Dialog>
      <SecretOnce
        secret={made?.secret}
        close={() => {
          const id = made?.id;
          setMade(undefined);
          if (id) void navigate({ to: "/settings/webhooks/$id", params: { id } });
        }}
        after={text.nextSendATestEventThe}
      />
    </div>
  );
}
