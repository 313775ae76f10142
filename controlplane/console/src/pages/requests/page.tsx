import * as text from "#text/requests";
import "./requests.css";
import type { Of } from "../../api/types";
import { useMay, useMe } from "../../api/use";
import { Head, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { RequestStatistics } from "./statistics";
import { itemKinds, open, statusTone, statusWords, waitsFor } from "./words";

type Request = Of<"AccessRequest">;

const columns: Column<Request>[] = [
  {
    title: text.request,
    sort: "number",
    text: (r) => r.number,
    cell: (r) => (
      <Link to="/requests/$id" params={{ id: r.id }}>
        {r.number}
      </Link>
    ),
  },
  { title: text.recipient, text: (r) => r.requested_for.display, cell: (r) => <Text of={r.requested_for.display} /> },
  {
    title: text.access,
    text: (r) => r.items.map((i) => i.display).join("; "),
    cell: (r) => (
      <span>
        {r.kind !== "grant" && <span className="muted">{r.kind === "extend" ? text.extensionOf : text.endOf} </span>}
        <Text of={r.items[0]?.display} />
        {r.items.length > 1 && <span className="muted"> {text.andCountMore(r.items.length - 1)}</span>}
      </span>
    ),
  },
  {
    title: text.state,
    text: (r) => r.status,
    cell: (r) => (
      <span className="row">
        <State of={r.status} words={statusWords(r.status, r.kind)} {...requestTone(r.status)} />
        {r.urgency === "emergency" && <State of="emergency" tone="bad" />}
      </span>
    ),
  },
  {
    title: text.approver,
    text: (r) => waitsFor(r).join("; "),
    cell: (r) => {
      const names = waitsFor(r);
      return names.length ? (
        <span>
          <Text of={names[0]} />
          {names.length > 1 && <span className="muted"> {text.andCountMore(names.length - 1)}</span>}
        </span>
      ) : (
        <span className="faint">–</span>
      );
    },
  },
  {
    title: text.due,
    text: (r) => r.sla.respond_by,
    cell: (r) =>
      r.sla.respond_by ? (
        <span className={r.sla.breached ? "bad" : ""}>
          {r.sla.breached ? text.overdueSince(<When at={r.sla.respond_by} />) : <When at={r.sla.respond_by} />}
        </span>
      ) : (
        ""
      ),
  },
  { title: text.requester, text: (r) => r.requested_by.display, cell: (r) => <Text of={r.requested_by.display} /> },
  { title: text.requested, sort: "submitted_at", text: (r) => r.submitted_at, cell: (r) => <When at={r.submitted_at} /> },
  { title: text.ticket, text: (r) => r.external_reference, cell: (r) => <Text of={r.external_reference} /> },
];

/** The tone of a status where it is not the usual one. */
export function requestTone(status: string) {
  const tone = statusTone(status);
  return tone ? { tone } : {};
}

/** The requests that one may see. */
export default function Requests() {
  const me = useMe();
  const may = useMay();
  const identity = me?.user?.identity_id ?? "";
  const views: View[] = [
    { name: text.all, query: {} },
    { name: text.open, query: { status: open } },
    ...(identity && !may.readOnly ? [{ name: text.toApprove, query: { approver: identity, status: "pending_approval" } }] : []),
    ...(identity ? [{ name: text.forMe, query: { requested_for: identity } }] : []),
    ...(me?.user && !may.readOnly ? [{ name: text.byMe, query: { requested_by: me.user.id } }] : []),
    { name: text.granted, query: { status: "fulfilled,partially_fulfilled" } },
    { name: text.ended, query: { status: "rejected,cancelled,expired,closed" } },
    { name: text.failed, query: { status: "failed,blocked" } },
  ];
  return (
    <div className="stack">
      <Head title={text.requests} lead={may.oversees ? text.accessRequestsOfTheTenantTheir : text.requestsByYouAndForYou}>
        {!may.readOnly && (
          <Link className="button primary" to="/access/request">
            {text.requestAccess}
          </Link>
        )}
      </Head>
      {may.oversees && <RequestStatistics />}
      <List<Request>
        path="/access-requests"
        label={text.requests}
        columns={columns}
        views={views}
        filters={[
          { name: "kind", words: text.kind, options: Object.entries(itemKinds).map(([v, words]) => [v, words] as const) },
          {
            name: "urgency",
            words: text.urgency,
            options: [
              ["normal", text.normal],
              ["emergency", text.emergency],
            ],
          },
          { name: "external_reference", words: text.ticket },
        ]}
        search={text.numbersPeopleThingsReasons}
        open={(r) => ({ to: "/requests/$id", params: { id: r.id } })}
        csv="requests"
        every={20_000}
        empty={{
          title: text.noRequestsYet,
          words: may.readOnly ? (
            text.requestsAreListedHereWithTheir
          ) : (
            <Link className="button primary" to="/access/request">
              {text.requestAccess}
            </Link>
          ),
        }}
      />
    </div>
  );
}
