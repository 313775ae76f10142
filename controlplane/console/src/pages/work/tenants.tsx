import * as text from "#text/work";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { number } from "../../kit/count";
import { Failure, Head, Part, Skeleton, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import { Recurring } from "./recurring";
import { busy, lateWords } from "./words";

type TenantWork = Of<"TenantWork"> & { id: string };

const path = "/control-plane/work-queue";

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.withDeadLetters, query: { state: "dead" } },
  { name: text.waiting, query: { state: "waiting" } },
];

const sum = (t: TenantWork, of: "waiting" | "dead") => t.kinds.reduce((n, k) => n + k[of], 0);
const late = (t: TenantWork) => Math.max(0, ...t.kinds.map((k) => k.overdue_seconds));

const columns: Column<TenantWork>[] = [
  {
    title: text.tenant,
    cell: (t) => (
      <Link to="/admin/tenants/$id" params={{ id: t.tenant_id }}>
        <Text of={t.name} />
      </Link>
    ),
    text: (t) => t.name,
  },
  { title: text.state, cell: (t) => <State of={t.status} />, text: (t) => t.status },
  { title: text.waiting, number: true, cell: (t) => number(sum(t, "waiting")), text: (t) => sum(t, "waiting") },
  { title: text.overdue, cell: (t) => lateWords(late(t)) || "–", text: late },
  { title: text.deadLetters, number: true, cell: (t) => number(sum(t, "dead")), text: (t) => sum(t, "dead") },
  {
    title: text.kinds,
    wide: true,
    cell: (t) => busy(t.kinds).map(kindWords).join("; "),
    text: (t) => busy(t.kinds).map(kindWords).join("; "),
  },
];

/** "Policy evaluation: 2 waiting, 1 dead letter" */
function kindWords(k: Of<"TenantWorkKind">): string {
  const parts = [k.waiting > 0 && text.waitingCount(number(k.waiting)), k.dead > 0 && text.deadLetterCount(k.dead)];
  return `${k.title}: ${parts.filter(Boolean).join(", ")}`;
}

/** The work of all tenants in counts, and the periodic work of the service, for its operators. */
export default function TenantsWork() {
  const jobs = useGet<Of<"OperatedJobs">>(`${path}/recurring`, {}, { every: 10_000 });
  return (
    <>
      <Head title={text.workQueue} lead={text.backgroundWorkOfAllTenants} />
      <Part title={text.tenants}>
        <List<TenantWork>
          path={path}
          label={text.workOfTenants}
          columns={columns}
          views={views}
          idOf={(t) => t.tenant_id}
          every={10_000}
          csv={text.csvWorkOfTenants}
          empty={{ title: text.noWorkIsWaiting, words: text.noTenantHasItems }}
        />
      </Part>
      <Part title={text.recurringWork}>
        {jobs.isPending ? (
          <Skeleton rows={3} />
        ) : jobs.isError && !jobs.data ? (
          <Failure error={jobs.error} retry={() => void jobs.refetch()} />
        ) : (
          <Recurring of={jobs.data.items} errors />
        )}
      </Part>
    </>
  );
}
