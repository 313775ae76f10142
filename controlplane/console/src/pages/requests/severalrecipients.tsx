import { Link } from "@tanstack/react-router";
import type { Of } from "../../api/types";
import { count } from "../../kit/count";
import { Button, Note, Table } from "../../kit/kit";
import { State } from "../../kit/state";
import type { Drafting } from "./draft";
import { approvalSummary, type RequestPreview } from "./preview";
import { PersonName } from "./recipients";

/** What would become of the same request for several people. */
export function SeveralRecipients({ all, d, self }: { all: RequestPreview[]; d: Drafting; self: string }) {
  return (
    <Table label="Result for each person">
      <thead>
        <tr>
          <th scope="col">Person</th>
          <th scope="col">Requestable</th>
          <th scope="col">Approvers or reason</th>
        </tr>
      </thead>
      <tbody>
        {all.map((f) => (
          <tr key={f.person}>
            <td>
              <PersonName id={f.person} known={d.draft.people[f.person]} self={self} />
            </td>
            <td>{f.problems.length ? <State of="refused" words="no" /> : <State of="ready" tone="ok" words="yes" />}</td>
            <td className="wide small">
              {f.problems.length
                ? f.problems.map((p) => <div key={p.code + p.detail}>{p.detail}</div>)
                : f.items.map((i) => (
                    <div key={i.display} dir="auto">
                      {f.items.length > 1 ? `${i.display}: ` : ""}
                      {approvalSummary(i.stages) || "no approval required"}
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
    <section className="stack" aria-label="Submitted requests">
      <Note tone={of.refused ? "warn" : "ok"}>
        {count(of.created, "request")} submitted. {of.refused > 0 && `${count(of.refused, "request")} rejected.`}
      </Note>
      <Table label="Submitted requests for each person">
        <thead>
          <tr>
            <th scope="col">Person</th>
            <th scope="col">Request</th>
            <th scope="col">State</th>
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
                  <Link to={"/requests/$id" as never} params={{ id: r.id } as never}>
                    {r.number}
                  </Link>
                ) : (
                  "none"
                )}
              </td>
              <td className="wide">{r.created ? <State of={r.status ?? "submitted"} /> : r.problems.map((p) => p.detail).join("; ")}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      <div className="row">
        <Link className="button primary" to={"/requests" as never}>
          Open requests
        </Link>
        <Button reads onClick={() => d.ask([])}>
          Request something else
        </Button>
      </div>
    </section>
  );
}
