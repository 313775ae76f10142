import "./requests.css";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Of } from "../../api/types";
import { useGet, useMay, useMe } from "../../api/use";
import { Id } from "../../kit/elements";
import { Facts, Failure, Head, Note, Skeleton, Text, When } from "../../kit/kit";
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
        <Head title="Request" up={<Link to={"/requests" as never}>Requests</Link>} lead="…" />
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
      <Head title={r.number} up={<Link to={"/requests" as never}>Requests</Link>} lead={<Lead of={r} />}>
        <Actions of={r} can={can} />
      </Head>
      <Status of={r} />
      <div className="card padded stack">
        {r.justification && (
          <blockquote className="req-reason" dir="auto">
            {r.justification}
          </blockquote>
        )}
        <Facts of={facts(r)} />
      </div>
      <section className="stack" aria-labelledby="req-items">
        <h2 id="req-items">{r.items.length === 1 ? "Requested item" : `${r.items.length} items`}</h2>
        {r.items.map((i) => (
          <RequestedItem key={i.id} of={i} request={r} can={can} />
        ))}
      </section>
      <div className="req-two">
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
      {service && " (an integration)"} {itemKinds[r.kind]}
      {!self && (
        <>
          {" "}
          for{" "}
          <PersonLink id={r.requested_for.id}>
            <Text of={r.requested_for.display} />
          </PersonLink>
        </>
      )}
      , <When at={r.submitted_at} />
    </>
  );
}

function Status({ of: r }: { of: Request }) {
  const tone = statusTone(r.status);
  const more: ReactNode[] = [];
  if (r.sla.breached) more.push(<State key="late" of="overdue" words="overdue" />);
  if (r.urgency === "emergency") more.push(<State key="e" of="emergency" tone="bad" words="emergency" />);
  return (
    <div className="stack tight" aria-live="polite">
      <div className="row">
        <State of={r.status} words={statusWords(r.status, r.kind)} {...(tone ? { tone } : {})} />
        <Risk of={r.risk.level} />
        {more}
        {r.expires_at && r.allowed.includes("cancel") && (
          <span className="small muted">
            expires <When at={r.expires_at} />
          </span>
        )}
      </div>
      {r.status === "blocked" && (
        <Note tone="warn">
          No approver can be found for part of this request. Administrators are notified. The request continues when an approver is found.
        </Note>
      )}
    </div>
  );
}

function facts(r: Request): [string, ReactNode][] {
  return [
    ["Ticket", r.external_reference ? <Text key="t" of={r.external_reference} /> : ""],
    ["Reasons for the risk", r.risk.reasons.join("; ")],
    ["Answer due", r.sla.respond_by ? <When key="d" at={r.sla.respond_by} /> : ""],
    ["Decided", r.approved_at || r.rejected_at ? <When key="a" at={r.approved_at ?? r.rejected_at ?? null} /> : ""],
    ["Access since", r.fulfilled_at ? <When key="f" at={r.fulfilled_at} /> : ""],
    ["Ended", r.closed_at ? <When key="c" at={r.closed_at} /> : ""],
    ["ID", <Id key="i" of={r.id} />],
    ...Object.entries(r.form_answers ?? {}).map(
      ([name, value]) => [name, <Text key={name} of={typeof value === "string" ? value : JSON.stringify(value)} />] as [string, ReactNode],
    ),
  ];
}
