import * as text from "#text/requests";
import type { Of } from "../../api/types";
import { Button, Note, Table } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import type { Drafting } from "./draft";
import { approvalSummary, type RequestPreview } from "./preview";
import { PersonName } from "./recipients";

/** What would become of the same request for several people. */
export function SeveralRecipients({ all, d, self }: { all: RequestPreview[]; d: Drafting; self: string }) {
  return (
    <Table label={text.resultForEachPerson}>
      <thead>
        <tr>
          <th scope="col">{text.person}</th>
          <th scope="col">{text.requestable}</th>
          <th scope="col">{text.approversOrReason}</th>
        </tr>
      </thead>
      <tbody>
        {all.map((f) => (
          <tr key={f.person}>
            <td>
              <PersonName id={f.person} known={d.draft.people[f.person]} self={self} />
            </td>
            <td>{f.problems.length ? <State of="refused" words={text.no} /> : <State of="ready" tone="ok" words={text.yes} />}</td>
            <td className="wide small">
              {f.problems.length
                ? f.problems.map((p) => <div key={p.code + p.detail}>{p.detail}</div>)
                : f.items.map((i) => (
                    <div key={i.display} dir="auto">
                      {f.items.length > 1 ? `${i.display}: ` : ""}
                      {approvalSummary(i.stages) || text.noApprovalRequired}
                    </div>
                  ))}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** What became of requests for several people. */
export function SentRequests({ of, whom, d, self }: { of: Of<"AccessRequestBulk">; whom: string[]; d: Drafting; self: string }) {
  return (
    <section className="stack" aria-label={text.submittedRequests}>
      <Note tone={of.refused ? "warn" : "ok"}>
        {text.requestsSubmitted(of.created)} {of.refused > 0 && text.requestsRejected(of.refused)}
      </Note>
      <Table label={text.submittedRequestsForEachPerson}>
        <thead>
          <tr>
            <th scope="col">{text.person}</th>
            <th scope="col">{text.request}</th>
            <th scope="col">{text.state}</th>
          </tr>
        </thead>
        <tbody>
          {of.results.map((r) => (
            <tr key={r.index}>
              <td>
                <PersonName id={whom[r.index] ?? ""} known={d.draft.people[whom[r.index] ?? ""]} self={self} />
              </td>
              <td>
                {r.id ? (
                  <Link to="/requests/$id" params={{ id: r.id }}>
                    {r.number}
                  </Link>
                ) : (
                  text.none
                )}
              </td>
              <td className="wide">{r.created ? <State of={r.status ?? "submitted"} /> : r.problems.map((p) => p.detail).join("; ")}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      <div className="row">
        <Link className="button primary" to="/requests">
          {text.openRequests}
        </Link>
        <Button reads onClick={() => d.ask([])}>
          {text.requestSomethingElse}
        </Button>
      </div>
    </section>
  );
}
