import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import * as text from "#text/webhooks";
import { useGet } from "../../api/use";
import { Id } from "../../kit/elements";
import { Badge, Facts, Failure, Head, Note, Part, Skeleton, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { WebhookActions } from "./actions";
import { Deliveries } from "./deliveries";
import "./webhooks.css";
import { stateOf, type Webhook, why } from "./words";

/** One webhook: how it fares, what was sent, and what can be done with it. */
export default function WebhookPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useGet<Webhook>(`/settings/webhooks/${id}`, {}, { every: 10_000 });
  if (query.isError && !query.data) return <Failure page error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={8} />;
  const w = query.data;
  const reason = why(w);
  return (
    <div className="stack">
      <Head
        up={<Link to="/settings/webhooks">{text.webhooks}</Link>}
        title={w.name}
        lead={
          <span className="row">
            <State of={stateOf(w)} />
            <bdi className="webhooks-url">{w.url}</bdi>
          </span>
        }
      >
        <WebhookActions of={w} />
      </Head>
      {reason && <Note tone={w.health.state === "failing" ? "warn" : w.health.disabled_by === "service" ? "bad" : "info"}>{reason}</Note>}
      <Facts of={facts(w)} />
      <Part title={text.events}>
        <p className="row">
          {w.events.map((e) => (
            <Badge key={e}>{e}</Badge>
          ))}
        </p>
        {w.filter && (
          <p className="small muted">
            {w.filter.match === "all" ? text.filterAllOfTheseRules : text.filterAnyOfTheseRules}{" "}
            {(w.filter.rules ?? []).map((r, i) => (
              <span key={r.field + r.op + String(r.value)}>
                {i > 0 && ", "}
                <code>
                  {r.field} {r.op} {JSON.stringify(r.value)}
                </code>
              </span>
            ))}
          </p>
        )}
      </Part>
      <Deliveries of={w} />
    </div>
  );
}

function facts(w: Webhook): [string, ReactNode][] {
  const h = w.health;
  return [
    [text.lastDelivered, <When key="ok" at={h.last_success_at} />],
    [text.lastFailure, <When key="bad" at={h.last_failure_at} />],
    [text.consecutiveFailures, h.consecutive_failures],
    [text.failedDeliveriesSinceTheLastSuccess, h.exhausted_since_success],
    [text.nextAttempt, h.next_probe_at && <When key="next" at={h.next_probe_at} />],
    [text.secrets, secrets(w)],
    [text.customHeaders, w.header_names.length > 0 ? w.header_names.join(", ") : undefined],
    [text.format, text.formats[w.format]],
    [text.order, w.ordered_per_subject ? text.keptPerResource : undefined],
    [text.rateLimit, w.max_rps ? text.maxRpsPerSecond(w.max_rps) : undefined],
    [text.created, <When key="at" at={w.created_at} />],
    [text.id, <Id key="id" of={w.id} />],
  ];
}

function secrets(w: Webhook) {
  const old = w.secrets.find((s) => s.state === "retiring");
  if (!old) return text.oneActive;
  return <>{text.oneActiveThePreviousOneAlso(<When at={old.expires_at} />)}</>;
}
