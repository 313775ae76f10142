import { Plus } from "lucide-react";
import * as text from "#text/connectors";
import { useMay } from "../../api/use";
import { Button, Head, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List, type View } from "../../kit/list";
import { State } from "../../kit/state";
import "./connectors.css";
import { HealthState, healthOptions } from "./healthstate";
import { RunStrip } from "./runstrip";
import { useStep } from "./step";
import { type ConnectorRow, environments, lastHeldRun, n, runSummary, statuses, typeOf } from "./words";
import { useResumeWrites } from "./writes";

const columns: Column<ConnectorRow>[] = [
  { title: text.name, sort: "name", cell: (c) => <Name of={c} />, text: (c) => c.name },
  { title: text.typeLabel, cell: typeOf, text: typeOf },
  { title: text.environment, cell: (c) => c.environment, text: (c) => c.environment },
  {
    title: text.health,
    cell: (c) => (
      <span className="connectors-health">
        <HealthState of={c} />
        <HeldRun of={c} />
        {c.health.writing.state === "stopped" && <Resume of={c} />}
      </span>
    ),
    text: (c) => [c.health.overall, lastHeldRun(c) && text.runHeld].filter(Boolean).join(", "),
  },
  { title: text.last14Runs, cell: (c) => <RunStrip runs={c.last_runs ?? []} />, text: (c) => runSummary(c.last_runs ?? []) },
  { title: text.people, number: true, cell: (c) => figure(c, c.counts?.identities), text: (c) => c.counts?.identities },
  { title: text.accounts, number: true, cell: (c) => figure(c, c.counts?.accounts), text: (c) => c.counts?.accounts },
  { title: text.lastSync, sort: "last_success_at", cell: (c) => <When at={c.last_success_at} />, text: (c) => c.last_success_at },
];

const views: View[] = [
  { name: text.all, query: {} },
  { name: text.failing, query: { failing: "true" } },
  { name: text.production, query: { environment: "production" } },
  { name: text.staging, query: { environment: "staging" } },
  { name: text.drafts, query: { status: "draft" } },
];

const filters = [
  { name: "health", words: text.health, options: healthOptions },
  { name: "status", words: text.state, options: statuses },
  { name: "environment", words: text.environment, options: environments },
];

/** The connected systems, and how their last runs went. */
export default function Connectors() {
  const may = useMay();
  const connect = may.admin && (
    <Link to="/connectors/new" className="button primary">
      <Plus aria-hidden size={15} /> {text.connectASystem}
    </Link>
  );
  return (
    <>
      <Head title={text.connectors} lead={text.sourceAndTargetSystemsOfPeople}>
        {connect}
      </Head>
      <List<ConnectorRow>
        path="/connectors"
        fixed={{ expand: "runs,counts" }}
        columns={columns}
        views={views}
        filters={filters}
        search={text.names}
        open={(c) => ({ to: "/connectors/$id", params: { id: c.id } })}
        csv="connectors"
        every={30_000}
        label={text.connectors}
        empty={{
          title: text.noConnectorsYet,
          words: (
            <>
              <p>{text.connectASystemToSyncPeople}</p>
              {connect}
            </>
          ),
        }}
      />
    </>
  );
}

/** Resumes writes where the list shows that they are stopped. */
function Resume({ of: c }: { of: ConnectorRow }) {
  const may = useMay();
  const resume = useResumeWrites(c.id);
  if (!may.admin) return null;
  return (
    <Button tone="quiet" aria-label={text.resumeWritesOf(c.name.slice(0, 80))} disabled={resume.isPending} onClick={() => resume.mutate()}>
      {text.resumeWrites}
    </Button>
  );
}

/** A connector's name leads to it; that of a draft to the step of the wizard where it was left. */
function Name({ of }: { of: ConnectorRow }) {
  const may = useMay();
  const draft = of.status === "draft" && may.admin;
  const step = useStep(of.id, draft);
  const to = draft ? "/connectors/new/$id/$step" : "/connectors/$id";
  return (
    <Link to={to} params={{ id: of.id, step }}>
      <Text of={of.name} />
    </Link>
  );
}

/** A run that the safety limits hold waits for a person: it is a click away. */
function HeldRun({ of: c }: { of: ConnectorRow }) {
  const run = lastHeldRun(c);
  if (!run) return null;
  return (
    <Link to="/connectors/$id/runs/$run" params={{ id: c.id, run: run.id }} title={text.aboveTheSafetyLimitsReviewThe}>
      <State of="held" words={text.runHeld} />
    </Link>
  );
}

function figure(c: ConnectorRow, of: number | undefined) {
  if (of === undefined || (of === 0 && c.funnel_state !== "connected")) return <span className="faint">—</span>;
  return n(of);
}
