import type { Of } from "../../api/types";
import { Text } from "../../kit/kit";
import { type Column, List } from "../../kit/list";

type RecordError = Of<"RecordError"> & { id: string };

const objects = [
  ["identity", "people"],
  ["account", "accounts"],
  ["entitlement", "groups and roles"],
  ["grant", "grants"],
] as const;

const columns: Column<RecordError>[] = [
  {
    title: "Record",
    cell: (e) => (
      <code>
        <Text of={e.external_id} />
      </code>
    ),
    text: (e) => e.external_id,
  },
  { title: "Object", cell: (e) => objects.find(([k]) => k === e.object)?.[1] ?? e.object, text: (e) => e.object },
  {
    title: "Field",
    cell: (e) =>
      e.field ? (
        <code>
          <Text of={e.field} />
        </code>
      ) : (
        <span className="faint">whole record</span>
      ),
    text: (e) => e.field,
  },
  { title: "Reason", wide: true, cell: (e) => <span dir="auto">{e.message}</span>, text: (e) => e.message },
  { title: "Code", cell: (e) => <code>{e.code}</code>, text: (e) => e.code },
  { title: "Temporary", cell: (e) => (e.retryable ? "perhaps" : "no"), text: (e) => e.retryable },
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
        { name: "object", words: "Kind", options: objects },
        { name: "code", words: "Code" },
      ]}
      csv={`run-${run.id}-set-aside`}
      label="Rejected records"
      empty={{ title: "No rejected records", words: "All records and values of this sync were valid." }}
    />
  );
}
