import * as text from "#text/people";
import type { IdentityDetail, Of } from "../../api/types";
import { Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";

type Request = Of<"AccessRequest">;

const columns: Column<Request>[] = [
  {
    title: text.request,
    cell: (r) => (
      <Link to="/requests/$id" params={{ id: r.id }}>
        {r.number}
      </Link>
    ),
    text: (r) => r.number,
  },
  { title: text.access, cell: (r) => <Text of={itemsOf(r)} />, text: itemsOf },
  { title: text.state, cell: (r) => <State of={r.status} />, text: (r) => r.status },
  { title: text.requester, cell: (r) => <Text of={r.requested_by?.display} />, text: (r) => r.requested_by?.display },
  { title: text.requested, sort: "submitted_at", cell: (r) => <When at={r.submitted_at} />, text: (r) => r.submitted_at },
];

function itemsOf(r: Request): string {
  return (r.items ?? [])
    .map((i) => i.display)
    .filter(Boolean)
    .join(", ");
}

/** What was asked for somebody. */
export function PersonRequests({ of: p }: { of: IdentityDetail }) {
  return (
    <List
      path="/access-requests"
      fixed={{ requested_for: p.id }}
      label={text.requestsForThisPerson}
      columns={columns}
      search={text.requests}
      csv="requests-for-a-person"
      open={(r) => ({ to: "/requests/$id", params: { id: r.id } })}
      empty={{
        title: text.noRequests,
        words: (
          <Link to="/access/request" search={{ for: p.id }}>
            {text.requestAccess}
          </Link>
        ),
      }}
    />
  );
}
