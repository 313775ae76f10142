import * as text from "#text/provisioning";
import { failureSummary, forEachSettled } from "../../api/batch";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { Differences } from "../../kit/diff";
import { Button, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { useSystems } from "../../kit/systems";

type Row = Of<"DriftedAccount"> & { id: string };
type Direction = "push" | "accept";

/** Accounts that are other than their template: the system's values stay, or ours are written again. */
export function Drifted() {
  const may = useMay();
  const systems = useSystems();
  const columns: Column<Row>[] = [
    {
      title: text.account,
      cell: (r) => (
        <Link to="/accounts/$id" params={{ id: r.account_id }}>
          <Text of={r.username ?? r.account_id} />
        </Link>
      ),
      text: (r) => r.username ?? r.account_id,
    },
    {
      title: text.system,
      cell: (r) => <Text of={systems.get(r.connector_id)} none={text.systemLower} />,
      text: (r) => systems.get(r.connector_id) ?? r.connector_id,
    },
    {
      title: text.differencesInTheSystemInThe,
      wide: true,
      cell: (r) => <Differences of={r.attribute_drift.map((d) => ({ field: d.field, from: d.observed, to: d.desired }))} />,
      text: (r) => r.attribute_drift.map((d) => `${d.field}: ${JSON.stringify(d.observed)} / ${JSON.stringify(d.desired)}`).join("; "),
    },
    { title: text.checked, cell: (r) => <When at={r.looked_at} />, text: (r) => r.looked_at },
  ];
  return (
    <List<Row>
      path="/accounts/drifted"
      idOf={(r) => r.account_id}
      prefix="d_"
      columns={columns}
      filters={[{ name: "field", words: text.field }]}
      csv="drifted-accounts"
      label={text.accountsThatDiffer}
      {...(may.admin ? { bulk: (rows: Row[], clear: () => void) => <ResolveDrift of={rows} clear={clear} /> } : {})}
      empty={{
        title: text.noDrift,
        words: text.accountsAreComparedAfterEachSync,
      }}
    />
  );
}

function ResolveDrift({ of, clear }: { of: Row[]; clear: () => void }) {
  const settle = useAct({
    act: (direction: Direction) =>
      forEachSettled(of, (r) =>
        ask("POST", `/accounts/${r.account_id}/drift/resolve`, { body: { direction, fields: r.attribute_drift.map((d) => d.field) } }),
      ),
    changes: ["/accounts"],
    done: (r, direction) =>
      direction === "push"
        ? text.templateValuesOfAccountsAreBeing(r.good, failureSummary(r))
        : text.theSystemsValuesOfAccountsAre(r.good, failureSummary(r)),
    after: clear,
  });
  return (
    <>
      <Button disabled={settle.isPending} onClick={() => settle.mutate("push")}>
        {text.writeTemplateValues}
      </Button>
      <Button disabled={settle.isPending} onClick={() => settle.mutate("accept")}>
        {text.acceptTheSystemsValues}
      </Button>
    </>
  );
}
