import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useGet } from "../../api/use";
import { Id } from "../../kit/elements";
import { Badge, Facts, Failure, Head, Note, Part, Skeleton, When } from "../../kit/kit";
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
        up={<Link to={"/settings/webhooks" as never}>Webhooks</Link>}
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
      <Part title="Events">
        <p className="row">
          {w.events.map((e) => (
            <Badge key={e}>{e}</Badge>
          ))}
        </p>
        {w.filter && (
          <p className="small muted">
            Filter: {w.filter.match === "all" ? "all of these rules" : "any of these rules"}:{" "}
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
    ["Last delivered", <When key="ok" at={h.last_success_at} />],
    ["Last failure", <When key="bad" at={h.last_failure_at} />],
    ["Consecutive failures", h.consecutive_failures],
    ["Failed deliveries since the last success", h.exhausted_since_success],
    ["Next attempt", h.next_probe_at && <When key="next" at={h.next_probe_at} />],
    ["Secrets", secrets(w)],
    ["Custom headers", w.header_names.length > 0 ? w.header_names.join(", ") : undefined],
    ["Format", w.format === "cloudevents" ? "CloudEvents 1.0" : "standard"],
    ["Order", w.ordered_per_subject ? "kept per resource" : undefined],
    ["Rate limit", w.max_rps ? `${w.max_rps} per second` : undefined],
    ["Created", <When key="at" at={w.created_at} />],
    ["ID", <Id key="id" of={w.id} />],
  ];
}

function secrets(w: Webhook) {
  const old = w.secrets.find((s) => s.state === "retiring");
  if (!old) return "one, active";
  return (
    <>
      one active; the previous one also signs until <When at={old.expires_at} />
    </>
  );
}
