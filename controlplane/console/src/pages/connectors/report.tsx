import type { Of } from "../../api/types";
import { Table } from "../../kit/kit";
import { n } from "./words";

/** Kinds of objects that are read, in the order in which they are told. */
export const reportedKinds = [
  ["identities", "People"],
  ["accounts", "Accounts"],
  ["entitlements", "Groups and roles"],
  ["grants", "Grants"],
  ["nestings", "Nested groups"],
] as const;

const columns = [
  ["created", "New"],
  ["updated", "Changed"],
  ["missing", "Missing once"],
  ["removed", "Removed"],
  ["reappeared", "Restored"],
  ["unchanged", "Unchanged"],
  ["quarantined", "Rejected"],
  ["skipped", "Skipped"],
  ["unresolved", "Unresolved references"],
] as const;

/** What a run did, by kind of object. */
export function Report({ of: run }: { of: Of<"Run"> }) {
  return (
    <Table label="Changes by kind">
      <thead>
        <tr>
          <th scope="col">Kind</th>
          {columns.map(([key, words]) => (
            <th key={key} scope="col" className="num">
              {words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {reportedKinds.map(([kind, words]) => (
          <tr key={kind}>
            <th scope="row">{words}</th>
            {columns.map(([key]) => (
              <td key={key} className={run.report[kind][key] ? "num" : "num faint"}>
                {n(run.report[kind][key])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
