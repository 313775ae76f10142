import * as text from "#text/syncruns";
import type { Of } from "../../api/types";
import { Text } from "../../kit/kit";
import { type Column, List } from "../../kit/list";

type RecordError = Of<"RecordError"> & { id: string };

const objects = [
  ["identity", text.peopleLower],
  ["account", text.accountsLower],
  ["entitlement", text.groupsAndRolesLower],
  ["grant", text.grantsLower],
] as const;

const columns: Column<RecordError>[] = [
  {
    title: text.record,
    cell: (e) => (
      <code>
        <Text of={e.external_id} />
      </code>
    ),
    text: (e) => e.external_id,
  },
  { title: text.object, cell: (e) => objects.find(([k]) => k === e.object)?.[1] ?? e.object, text: (e) => e.object },
  {
    title: text.field,
    cell: (e) =>
      e.field ? (
        <code>
          <Text of={e.field} />
        </code>
      ) : (
        <span className="faint">{text.wholeRecord}</span>
      ),
    text: (e) => e.field,
  },
  { title: text.reason, wide: true, cell: (e) => <span dir="auto">{e.message}</span>, text: (e) => e.message },
  { title: text.code, cell: (e) => <code>{e.code}</code>, text: (e) => e.code },
  { title: text.temporary, cell: (e) => (e.retryable ? "perhaps" : "no"), text: (e) => e.retryable },
];

/** Records that were set aside, and values that were left out, each with its reason. */
export function RunErrors({ of: run }: { of: Of<"Run"> }) {
  return (
    <List<RecordError>
      path={`/connectors/${run.connector_id}/sync-runs/${run.id}/errors`}
      idOf={(e) => [e.object, e.external_id, e.field, e.code].join(" ")}
      prefix="e_"
      columns={columns}
      filters={[
        { name: "object", words: text.kind, options: objects },
        { name: "code", words: text.code },
      ]}
      csv={`run-${run.id}-set-aside`}
      label={text.rejectedRecords}
      empty={{ title: text.noRejectedRecords, words: text.allRecordsAndValuesOfThis }}
    />
  );
}
