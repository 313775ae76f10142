import "./requests.css";
import { Link } from "@tanstack/react-router";
import type { Of } from "../../api/types";
import { useMay, useMe } from "../../api/use";
import { Head, Text, When } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { RequestStatistics } from "./statistics";
import { itemKinds, open, statusTone, statusWords, waitsFor } from "./words";

type Request = Of<"AccessRequest">;

const columns: Column<Request>[] = [
  {
    title: "Request",
    sort: "number",
    text: (r) => r.number,
    cell: (r) => (
      <Link to={"/requests/$id" as never} params={{ id: r.id } as never}>
        {r.number}
      </Link>
    ),
  },
  { title: "Recipient", text: (r) => r.requested_for.display, cell: (r) => <Text of={r.requested_for.display} /> },
  {
    title: "Access",
    text: (r) => r.items.map((i) => i.display).join("; "),
    cell: (r) => (
      <span>
        {r.kind !== "grant" && <span className="muted">{r.kind === "extend" ? "extension: " : "end: "}</span>}
        <Text of={r.items[0]?.display} />
        {r.items.length > 1 && <span className="muted"> and {r.items.length - 1} more</span>}
      </span>
    ),
  },
  {
    title: "State",
    text: (r) => r.status,
    cell: (r) => (
      <span className="row">
        <State of={r.status} words={statusWords(r.status, r.kind)} {...requestTone(r.status)} />
        {r.urgency === "emergency" && <State of="emergency" tone="bad" />}
      </span>
    ),
  },
  {
    title: "Approver",
    text: (r) => waitsFor(r).join("; "),
    cell: (r) => {
      const names = waitsFor(r);
      return names.length ? (
        <span>
          <Text of={names[0]} />
          {names.length > 1 && <span className="muted"> and {names.length - 1} more</span>}
        </span>
      ) : (
        <span className="faint">–</span>
      );
    },
  },
  {
    title: "Due",
    text: (r) => r.sla.respond_by,
    cell: (r) =>
      r.sla.respond_by ? (
        <span className={r.sla.breached ? "bad" : ""}>
          {r.sla.breached ? "overdue: " : ""}
          <When at={r.sla.respond_by} />
        </span>
      ) : (
        ""
      ),
  },
  { title: "Requester", text: (r) => r.requested_by.display, cell: (r) => <Text of={r.requested_by.display} /> },
  { title: "Requested", sort: "submitted_at", text: (r) => r.submitted_at, cell: (r) => <When at={r.submitted_at} /> },
  { title: "Ticket", text: (r) => r.external_reference, cell: (r) => <Text of={r.external_reference} /> },
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
    { name: "All", query: {} },
    { name: "Open", query: { status: open } },
    ...(identity && !may.readOnly ? [{ name: "To approve", query: { approver: identity, status: "pending_approval" } }] : []),
    ...(identity ? [{ name: "For me", query: { requested_for: identity } }] : []),
    ...(me?.user && !may.readOnly ? [{ name: "By me", query: { requested_by: me.user.id } }] : []),
    { name: "Granted", query: { status: "fulfilled,partially_fulfilled" } },
    { name: "Ended", query: { status: "rejected,cancelled,expired,closed" } },
    { name: "Failed", query: { status: "failed,blocked" } },
  ];
  return (
    <div className="stack">
      <Head
        title="Requests"
        lead={
          may.oversees
            ? "Access requests of the tenant, their approvers and outcomes."
            : "Requests by you and for you, for your reports, and those you approve."
        }
      >
        {!may.readOnly && (
          <Link className="button primary" to={"/access/request" as never}>
            Request access
          </Link>
        )}
      </Head>
      {may.oversees && <RequestStatistics />}
      <List<Request>
        path="/access-requests"
        label="Requests"
        columns={columns}
        views={views}
        filters={[
          { name: "kind", words: "Kind", options: Object.entries(itemKinds).map(([v, words]) => [v, words] as const) },
          {
            name: "urgency",
            words: "Urgency",
            options: [
              ["normal", "normal"],
              ["emergency", "emergency"],
            ],
          },
          { name: "external_reference", words: "Ticket" },
        ]}
        search="numbers, people, things, reasons"
        open={(r) => ({ to: "/requests/$id", params: { id: r.id } })}
        csv="requests"
        every={20_000}
        empty={{
          title: "No requests yet",
          words: may.readOnly ? (
            "Requests are listed here with their approvers and outcomes."
          ) : (
            <Link className="button primary" to={"/access/request" as never}>
              Request access
            </Link>
          ),
        }}
      />
    </div>
  );
}
