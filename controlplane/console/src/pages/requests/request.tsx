import * as text from "#text/requests";
import "./requests.css";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Of } from "../../api/types";
import { useGet, useMay, useMe } from "../../api/use";
import { Id } from "../../kit/elements";
import { Facts, Failure, Head, Note, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { PersonLink } from "../../kit/personlink";
import { Risk, State } from "../../kit/state";
import { Actions } from "./actions";
import { Comments, Timeline } from "./comments";
import { RequestedItem } from "./item";
import { itemKinds, open, requestPermissions, statusTone, statusWords } from "./words";

type Request = Of<"AccessRequest">;

/** One request: what became of each thing that it asks for, and what can be done about it. */
export default function RequestPage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const me = useMe();
  const may = useMay();
  const request = useGet<Request>(`/access-requests/${id}`, {}, { every: 5000, keep: true });
  const r = request.data;
  if (request.isError && !r) return <Failure page error={request.error} retry={() => void request.refetch()} />;
  if (!r)
    return (
      <div className="stack">
        <Head title={text.request} up={<Link to="/requests">{text.requests}</Link>} lead="…" />
        <Skeleton rows={10} />
      </div>
    );
  const can = requestPermissions(r, {
    user: me?.user?.id ?? "",
    identity: me?.user?.identity_id ?? "",
    admin: may.admin,
    manager: may.manager,
    roles: me?.roles ?? [],
    readOnly: may.readOnly,
  });
  return (
    <div className="stack">
      <Head title={r.number} up={<Link to="/requests">{text.requests}</Link>} lead={<Lead of={r} />}>
        <Actions of={r} can={can} />
      </Head>
      <Status of={r} />
      <div className="card padded stack">
        {r.justification && (
          <blockquote className="requests-reason" dir="auto">
            {r.justification}
          </blockquote>
        )}
        <Facts of={facts(r)} />
      </div>
      <section className="stack" aria-labelledby="req-items">
        <h2 id="req-items">{r.items.length === 1 ? text.requestedItem : text.countItems(r.items.length)}</h2>
        {r.items.map((i) => (
          <RequestedItem key={i.id} of={i} request={r} can={can} />
        ))}
      </section>
      <div className="requests-columns">
        <Comments of={r} can={can} />
        <Timeline id={r.id} live={open.split(",").includes(r.status)} />
      </div>
    </div>
  );
}

function Lead({ of: r }: { of: Request }) {
  const self = r.requested_by.identity_id === r.requested_for.id;
  const service = r.requested_by.type === "service";
  return (
    <>
      <Text of={r.requested_by.display} />
      {service && <> {text.anIntegration}</>} {itemKinds[r.kind]}
      {!self && (
        <>
          {" "}
          {text.forRequestedFor(
            <PersonLink id={r.requested_for.id}>
              <Text of={r.requested_for.display} />
            </PersonLink>,
          )}
        </>
      )}
      , <When at={r.submitted_at} />
    </>
  );
}

function Status({ of: r }: { of: Request }) {
  const tone = statusTone(r.status);
  const more: ReactNode[] = [];
  if (r.sla.breached) more.push(<State key="late" of="overdue" words={text.overdue} />);
  if (r.urgency === "emergency") more.push(<State key="e" of="emergency" tone="bad" words={text.emergency} />);
  return (
    <div className="stack tight" aria-live="polite">
      <div className="row">
        <State of={r.status} words={statusWords(r.status, r.kind)} {...(tone ? { tone } : {})} />
        <Risk of={r.risk.level} />
        {more}
        {r.expires_at && r.allowed.includes("cancel") && (
          <span className="small muted">{text.expiresExpiresAt(<When at={r.expires_at} />)}</span>
        )}
      </div>
      {r.status === "blocked" && <Note tone="warn">{text.noApproverCanBeFoundFor}</Note>}
    </div>
  );
}

function facts(r: Request): [string, ReactNode][] {
  return [
    [text.ticket, r.external_reference ? <Text key="t" of={r.external_reference} /> : ""],
    [text.reasonsForTheRisk, r.risk.reasons.join("; ")],
    [text.answerDue, r.sla.respond_by ? <When key="d" at={r.sla.respond_by} /> : ""],
    [text.decided, r.approved_at || r.rejected_at ? <When key="a" at={r.approved_at ?? r.rejected_at ?? null} /> : ""],
    [text.accessSince, r.fulfilled_at ? <When key="f" at={r.fulfilled_at} /> : ""],
    [text.ended, r.closed_at ? <When key="c" at={r.closed_at} /> : ""],
    [text.id, <Id key="i" of={r.id} />],
    ...Object.entries(r.form_answers ?? {}).map(
      ([name, value]) => [name, <Text key={name} of={typeof value === "string" ? value : JSON.stringify(value)} />] as [string, ReactNode],
    ),
  ];
}
