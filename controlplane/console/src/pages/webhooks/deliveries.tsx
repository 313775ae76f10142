import { useSearch } from "@tanstack/react-router";
import * as text from "#text/webhooks";
import { useGet, useMay } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { Id, Verbatim } from "../../kit/elements";
import { Facts, Failure, Part, Skeleton, Text, When } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { Redeliver } from "./redeliver";
import { Timeline } from "./timeline";
import type { Delivery, DeliveryDetail, Webhook } from "./words";

const states = ["pending", "succeeded", "exhausted", "skipped"] as const;
const tones = { pending: "info", succeeded: "ok", exhausted: "bad", skipped: "neutral" } as const;
const purposes: Record<string, string> = { event: text.eventLower, redelivery: text.redelivery, replay: text.replay, ping: text.test };

/** What was sent, the newest first. A delivery opens beside the list; which one stands in the address. */
export function Deliveries({ of: w }: { of: Webhook }) {
  const search = useSearch({ strict: false }) as { delivery?: string };
  const navigate = useGo();
  const show = (delivery: string | undefined) =>
    void navigate({ to: ".", search: (was: Record<string, string>) => ({ ...was, delivery }), resetScroll: false });
  const columns: Column<Delivery>[] = [
    {
      title: text.event,
      cell: (d) => (
        <button type="button" className="webhooks-open" data-reads="" onClick={() => show(d.id)}>
          <code>{d.event_type}</code>
        </button>
      ),
      text: (d) => d.event_type,
    },
    { title: text.state, cell: (d) => <State of={d.state} tone={tones[d.state]} />, text: (d) => d.state },
    { title: text.kind, cell: (d) => purposes[d.purpose] ?? d.purpose, text: (d) => d.purpose },
    { title: text.attempts, number: true, cell: (d) => text.attemptOfFive(d.attempt), text: (d) => d.attempt },
    {
      title: text.lastResponse,
      cell: (d) => (d.last_status ? text.httpLastStatus(d.last_status) : <Text of={d.last_error} none="–" />),
      text: (d) => d.last_status ?? d.last_error,
    },
    { title: text.time, cell: (d) => <When at={d.created_at} />, text: (d) => d.created_at },
    { title: text.nextAttempt, cell: (d) => <NextTry of={d} />, text: (d) => d.next_attempt_at },
  ];
  return (
    <Part title={text.deliveries}>
      <List<Delivery>
        path={`/settings/webhooks/${w.id}/deliveries`}
        label={text.deliveries}
        columns={columns}
        every={5000}
        csv={`deliveries ${w.name}`}
        filters={[
          { name: "state", words: text.state, options: states.map((s) => [s, s] as const) },
          { name: "purpose", words: text.kind, options: Object.entries(purposes) },
          { name: "event_type", words: text.event, options: w.events.map((e) => [e, e] as const) },
        ]}
        empty={{ title: text.noDeliveriesYet, words: text.sendATestToCheckThe }}
      />
      <Dialog open={Boolean(search.delivery)} close={() => show(undefined)} side title={text.delivery}>
        {search.delivery && <Shown key={search.delivery} webhook={w} id={search.delivery} />}
      </Dialog>
    </Part>
  );
}

/** When a delivery is tried next; one whose time has come waits for those before it. */
function NextTry({ of }: { of: Delivery }) {
  if (of.state === "pending" && of.next_attempt_at && Date.parse(of.next_attempt_at) < Date.now())
    return <span className="muted">{text.waiting}</span>;
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
          [text.kind, purposes[d.purpose] ?? d.purpose],
          [text.eventTime, <When key="at" at={d.created_at} />],
          [text.nextAttempt, d.next_attempt_at && <NextTry key="next" of={d} />],
          [text.ended, d.ended_at && <When key="end" at={d.ended_at} />],
          [text.resourceSequence, d.sequence],
          [text.event, <Id key="event" of={d.event_id} />],
          [text.resource, <Id key="resource" of={d.resource_id} />],
        ]}
      />
      {d.attempts.map((a) => (
        <section key={a.n} className="stack tight" aria-label={text.attemptN(a.n)}>
          <div className="row between">
            <strong>{a.status ? text.attemptNHttpStatus(a.n, a.status) : text.attemptNNoResponse(a.n)}</strong>
            <span className="small muted">{text.atLatencyMsMs(<When at={a.at} />, a.latency_ms)}</span>
          </div>
          <Verbatim label={text.requestOfAttemptN(a.n)}>
            {[text.postUrl(a.url), `webhook-id: ${d.event_id}`, `grantwright-attempt: ${a.n}`, text.bodyHash(a.body_sha256)].join("\n")}
          </Verbatim>
          {(a.error || a.excerpt) && (
            <Verbatim label={text.responseToAttemptN(a.n)}>{[a.error, a.excerpt].filter(Boolean).join("\n\n")}</Verbatim>
          )}
          {a.repeated ? <p className="small muted">{text.earlierStartsOfThisAttemptWith(a.repeated)}</p> : null}
        </section>
      ))}
      {d.attempts.length === 0 && (
        <p className="small muted">{d.state === "skipped" ? text.notSentTheWebhookWasDisabled : text.noAttemptsYetSentence}</p>
      )}
      {d.redelivery_of_id && <p className="small muted">{text.redeliveryOfRedeliveryOf(<Id of={d.redelivery_of_id} />)}</p>}
    </div>
  );
}
