import type { Of } from "../../api/types";
import { Table } from "../../kit/kit";
import { n } from "./words";

/** Kinds of objects that are read, in the order in which they are told. */
export const kinds = [
  ["identities", "People"],
  ["accounts", "Accounts"],
  ["entitlements", "Groups and roles"],
  ["grants", "Access held"],
  ["nestings", "Groups in groups"],
] as const;

const columns = [
  ["created", "New"],
  ["updated", "Changed"],
  ["missing", "First miss"],
  ["removed", "Gone"],
  ["reappeared", "Back"],
  ["unchanged", "As before"],
  ["quarantined", "Set aside"],
  ["skipped", "Passed over"],
  ["unresolved", "Unresolved references"],
] as const;

/** What a run did, by kind of object. */
export function Report({ of: run }: { of: Of<"Run"> }) {
  return (
    <Table label="What it did, by kind">
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
        {kinds.map(([kind, words]) => (
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
