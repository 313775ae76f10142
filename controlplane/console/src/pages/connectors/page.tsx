import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useMay } from "../../api/use";
import { Head, Text, When } from "../../kit/kit";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import "./connectors.css";
import { HealthState, healthOptions } from "./healthstate";
import { RunStrip } from "./runstrip";
import { useStep } from "./step";
import { type ConnectorRow, environments, lastHeldRun, n, runSummary, statuses, typeOf } from "./words";

const columns: Column<ConnectorRow>[] = [
  { title: "Name", sort: "name", cell: (c) => <Name of={c} />, text: (c) => c.name },
  { title: "Type", cell: typeOf, text: typeOf },
  { title: "Environment", cell: (c) => c.environment, text: (c) => c.environment },
  {
    title: "Health",
    cell: (c) => (
      <span className="connectors-health">
        <HealthState of={c} />
        <HeldRun of={c} />
      </span>
    ),
    text: (c) => [c.health.overall, lastHeldRun(c) && "run held"].filter(Boolean).join(", "),
  },
  { title: "Last 14 runs", cell: (c) => <RunStrip runs={c.last_runs ?? []} />, text: (c) => runSummary(c.last_runs ?? []) },
  { title: "People", number: true, cell: (c) => figure(c, c.counts?.identities), text: (c) => c.counts?.identities },
  { title: "Accounts", number: true, cell: (c) => figure(c, c.counts?.accounts), text: (c) => c.counts?.accounts },
  { title: "Last sync", sort: "last_success_at", cell: (c) => <When at={c.last_success_at} />, text: (c) => c.last_success_at },
];

const views: View[] = [
  { name: "All", query: {} },
  { name: "Failing", query: { failing: "true" } },
  { name: "Production", query: { environment: "production" } },
  { name: "Staging", query: { environment: "staging" } },
  { name: "Drafts", query: { status: "draft" } },
];

const filters = [
  { name: "health", words: "Health", options: healthOptions },
  { name: "status", words: "State", options: statuses },
  { name: "environment", words: "Environment", options: environments },
];

/** The connected systems, and how their last runs went. */
export default function Connectors() {
  const may = useMay();
  const connect = may.admin && (
    <Link to={"/connectors/new" as never} className="button primary">
      <Plus aria-hidden size={15} /> Connect a system
    </Link>
  );
  return (
    <>
      <Head title="Connectors" lead="Source and target systems of people, accounts and access.">
        {connect}
      </Head>
      <List<ConnectorRow>
        path="/connectors"
        fixed={{ expand: "runs,counts" }}
        columns={columns}
        views={views}
        filters={filters}
        search="names"
        open={(c) => ({ to: "/connectors/$id", params: { id: c.id } })}
        csv="connectors"
        every={30_000}
        label="Connectors"
        empty={{
          title: "No connectors yet",
          words: (
            <>
              <p>Connect a system to sync people, accounts and access. Setup takes five steps.</p>
              {connect}
            </>
          ),
        }}
      />
    </>
  );
}

/** A connector's name leads to it; that of a draft to the step of the wizard where it was left. */
function Name({ of }: { of: ConnectorRow }) {
  const may = useMay();
  const draft = of.status === "draft" && may.admin;
  const step = useStep(of.id, draft);
  const to = draft ? "/connectors/new/$id/$step" : "/connectors/$id";
  return (
    <Link to={to as never} params={{ id: of.id, step } as never}>
      <Text of={of.name} />
    </Link>
  );
}

/** A run that the safety limits hold waits for a person: it is a click away. */
function HeldRun({ of: c }: { of: ConnectorRow }) {
  const run = lastHeldRun(c);
  if (!run) return null;
  return (
    <Link
      to={"/connectors/$id/runs/$run" as never}
      params={{ id: c.id, run: run.id } as never}
      title="Above the safety limits: review the run"
    >
      <State of="held" words="run held" />
    </Link>
  );
}

function figure(c: ConnectorRow, of: number | undefined) {
  if (of === undefined || (of === 0 && c.funnel_state !== "connected")) return <span className="faint">—</span>;
  return n(of);
}
