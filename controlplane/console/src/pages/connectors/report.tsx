import * as text from "#text/syncruns";
import type { Of } from "../../api/types";
import { Table } from "../../kit/kit";
import { n } from "./words";

/** Kinds of objects that are read, in the order in which they are told. */
export const reportedKinds = [
  ["identities", text.people],
  ["accounts", text.accounts],
  ["entitlements", text.groupsAndRoles],
  ["grants", text.grants],
  ["nestings", text.nestedGroups],
] as const;

const columns = [
  ["created", text.newLabel],
  ["updated", text.changed],
  ["missing", text.missingOnce],
  ["removed", text.removed],
  ["reappeared", text.restored],
  ["unchanged", text.unchanged],
  ["quarantined", text.rejected],
  ["skipped", text.skipped],
  ["unresolved", text.unresolvedReferences],
] as const;

/** What a run did, by kind of object. */
export function Report({ of: run }: { of: Of<"Run"> }) {
  return (
    <Table label={text.changesByKind}>
      <thead>
        <tr>
          <th scope="col">{text.kind}</th>
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
