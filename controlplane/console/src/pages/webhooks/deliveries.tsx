import { useNavigate, useSearch } from "@tanstack/react-router";
import { useGet, useMay } from "../../api/use";
import { count } from "../../kit/count";
import { Dialog } from "../../kit/dialog";
import { Id, Verbatim } from "../../kit/elements";
import { Facts, Failure, Part, Skeleton, Text, When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { Redeliver } from "./redeliver";
import { Timeline } from "./timeline";
import type { Delivery, DeliveryDetail, Webhook } from "./words";

const states = ["pending", "succeeded", "exhausted", "skipped"] as const;
const tones = { pending: "info", succeeded: "ok", exhausted: "bad", skipped: "neutral" } as const;
const purposes: Record<string, string> = { event: "event", redelivery: "redelivery", replay: "replay", ping: "test" };

/** What was sent, the newest first. A delivery opens beside the list; which one stands in the address. */
export function Deliveries({ of: w }: { of: Webhook }) {
  const search = useSearch({ strict: false }) as { delivery?: string };
  const navigate = useNavigate();
  const show = (delivery: string | undefined) =>
    void navigate({ to: ".", search: ((was: Record<string, string>) => ({ ...was, delivery })) as never, resetScroll: false });
  const columns: Column<Delivery>[] = [
    {
      title: "Event",
      cell: (d) => (
        <button type="button" className="webhooks-open" data-reads="" onClick={() => show(d.id)}>
          <code>{d.event_type}</code>
        </button>
      ),
      text: (d) => d.event_type,
    },
    { title: "State", cell: (d) => <State of={d.state} tone={tones[d.state]} />, text: (d) => d.state },
    { title: "Kind", cell: (d) => purposes[d.purpose] ?? d.purpose, text: (d) => d.purpose },
    { title: "Attempts", number: true, cell: (d) => `${d.attempt} of 5`, text: (d) => d.attempt },
    {
      title: "Last response",
      cell: (d) => (d.last_status ? `HTTP ${d.last_status}` : <Text of={d.last_error} none="–" />),
      text: (d) => d.last_status ?? d.last_error,
    },
    { title: "Time", cell: (d) => <When at={d.created_at} />, text: (d) => d.created_at },
    { title: "Next attempt", cell: (d) => <NextTry of={d} />, text: (d) => d.next_attempt_at },
  ];
  return (
    <Part title="Deliveries">
      <List<Delivery>
        path={`/settings/webhooks/${w.id}/deliveries`}
        label="Deliveries"
        columns={columns}
        every={5000}
        csv={`deliveries ${w.name}`}
        filters={[
          { name: "state", words: "State", options: states.map((s) => [s, s] as const) },
          { name: "purpose", words: "Kind", options: Object.entries(purposes) },
          { name: "event_type", words: "Event", options: w.events.map((e) => [e, e] as const) },
        ]}
        empty={{ title: "No deliveries yet", words: "Send a test to check the address. Events are delivered as they occur." }}
      />
      <Dialog open={Boolean(search.delivery)} close={() => show(undefined)} side title="Delivery">
        {search.delivery && <Shown key={search.delivery} webhook={w} id={search.delivery} />}
      </Dialog>
    </Part>
  );
}

/** When a delivery is tried next; one whose time has come waits for those before it. */
function NextTry({ of }: { of: Delivery }) {
  if (of.state === "pending" && of.next_attempt_at && Date.parse(of.next_attempt_at) < Date.now())
    return <span className="muted">waiting</span>;
  return <When at={of.state === "pending" ? of.next_attempt_at : null} none="–" />;
}

function Shown({ webhook, id }: { webhook: Webhook; id: string }) {
  const may = useMay();
  const query = useGet<DeliveryDetail>(`/settings/webhooks/${webhook.id}/deliveries/${id}`, {}, { every: 5000 });
  if (query.isError && !query.data) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={5} />;
  const d = query.data;
  return (
    <div className="stack">
      <div className="row between">
        <span className="row">
          <State of={d.state} tone={tones[d.state]} /> <code>{d.event_type}</code>
        </span>
        {may.admin && webhook.enabled && d.purpose !== "ping" && <Redeliver webhook={webhook.id} delivery={d} />}
      </div>
      <Timeline of={d} />
      <Facts
        of={[
          ["Kind", purposes[d.purpose] ?? d.purpose],
          ["Event time", <When key="at" at={d.created_at} />],
          ["Next attempt", d.next_attempt_at && <NextTry key="next" of={d} />],
          ["Ended", d.ended_at && <When key="end" at={d.ended_at} />],
          ["Resource sequence", d.sequence],
          ["Event", <Id key="event" of={d.event_id} />],
          ["Resource", <Id key="resource" of={d.resource_id} />],
        ]}
      />
      {d.attempts.map((a) => (
        <section key={a.n} className="stack tight" aria-label={`Attempt ${a.n}`}>
          <div className="row between">
            <strong>
              Attempt {a.n}: {a.status ? `HTTP ${a.status}` : "no response"}
            </strong>
            <span className="small muted">
              <When at={a.at} />, {a.latency_ms} ms
            </span>
          </div>
          <Verbatim label={`Request of attempt ${a.n}`}>
            {[`POST ${a.url}`, `webhook-id: ${d.event_id}`, `grantwright-attempt: ${a.n}`, `body sha256: ${a.body_sha256}`].join("\n")}
          </Verbatim>
          {(a.error || a.excerpt) && (
            <Verbatim label={`Response to attempt ${a.n}`}>{[a.error, a.excerpt].filter(Boolean).join("\n\n")}</Verbatim>
          )}
          {a.repeated ? (
            <p className="small muted">{count(a.repeated, "earlier start", "earlier starts")} of this attempt with unknown outcome.</p>
          ) : null}
        </section>
      ))}
      {d.attempts.length === 0 && (
        <p className="small muted">{d.state === "skipped" ? "Not sent: the webhook was disabled." : "No attempts yet."}</p>
      )}
      {d.redelivery_of_id && (
        <p className="small muted">
          Redelivery of <Id of={d.redelivery_of_id} />
        </p>
      )}
    </div>
  );
}
