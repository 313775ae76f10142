import { Link } from "@tanstack/react-router";
import { Plug } from "lucide-react";
import type { Of } from "../../api/types";
import { useGet, useMay, useMe } from "../../api/use";
import { count } from "../../kit/count";
import { Failure, Head, Skeleton, When } from "../../kit/kit";
import "./dashboard.css";
import { Findings } from "./findings";
import { Funnel } from "./funnel";
import { Checklist, ConnectorProblems, Figure, Requests, Tasks } from "./parts";
import { Timeline } from "./timeline";
import { greeting, openTasksText } from "./words";

type Sum = Of<"Dashboard">;

/** What needs attention and how far the tenant is, for what the viewer may see. */
export default function Dashboard() {
  const me = useMe();
  const may = useMay();
  const sum = useGet<Sum>("/dashboard", {}, { every: 30_000 });
  return (
    <>
      <Head title={greeting(me?.user?.display_name ?? "", new Date().getHours())} lead={sum.data ? openTasksText(sum.data) : "Loading…"}>
        {may.admin && (
          <Link to="/connectors/new" className="button">
            <Plug aria-hidden size={15} /> Connect a system
          </Link>
        )}
      </Head>
      {sum.isPending ? (
        <Waiting />
      ) : sum.isError ? (
        <Failure error={sum.error} retry={() => void sum.refetch()} />
      ) : (
        <Summed of={sum.data} />
      )}
    </>
  );
}

const Waiting = () => (
  <>
    <Skeleton rows={5} />
    <Skeleton rows={2} />
    <Skeleton rows={6} />
  </>
);

function Summed({ of }: { of: Sum }) {
  const { connectors, runs, held, checklist } = of;
  // A tenant without a single system has nothing to draw.
  const fresh = checklist && !checklist.system_connected;
  return (
    <>
      {checklist && !checklist.complete && <Checklist of={checklist} />}
      {!fresh && <Findings of={of.findings} />}
      {!fresh && <Figures of={of} />}
      {connectors && !fresh && <Funnel of={of.funnel} />}
      {connectors && held && !fresh && (
        <div className="dash-split">
          {runs && <Timeline of={{ runs, connectors }} at={of.at} />}
          <div className="stack">
            <ConnectorProblems of={connectors} held={held} />
            <Tasks open={of.inbox.open} />
          </div>
        </div>
      )}
      {!connectors && (
        <div className="dash-even">
          <Tasks open={of.inbox.open} />
          <Requests />
        </div>
      )}
    </>
  );
}

function Figures({ of }: { of: Sum }) {
  const may = useMay();
  const { figures: f, connectors, inbox } = of;
  const worst = connectors?.failing[0];
  return (
    <div className="dash-figures">
      <Figure n={inbox.open} words="Decision tasks" to="/inbox">
        {inbox.overdue > 0 && <span className="badge bad">{inbox.overdue.toLocaleString("en")} overdue</span>}
        {inbox.overdue === 0 && inbox.due_soon > 0 && (
          <span className="badge warn">{inbox.due_soon.toLocaleString("en")} due within a day</span>
        )}
      </Figure>
      {connectors && (
        <Figure n={connectors.failing_total} words="Failing connectors" to="/connectors">
          {worst && (
            <span className="muted">
              <bdi>{worst.name.slice(0, 40)}</bdi>, failing since <When at={worst.since} />
            </span>
          )}
        </Figure>
      )}
      {(may.oversees || may.owner) && (
        <Figure n={f.accounts.orphaned} words="Orphan accounts" to="/accounts" search={{ orphaned: "true" }}>
          {f.accounts.uncorrelated > 0 && <span className="muted">and {f.accounts.uncorrelated.toLocaleString("en")} uncorrelated</span>}
        </Figure>
      )}
      {may.oversees && (
        <Figure n={of.provisioning.failed} words="Failed provisioning tasks" to="/provisioning" search={{ state: "failed" }}>
          <span className="muted">{of.provisioning.failed > 0 ? "a person must act" : "other tasks are completed or waiting"}</span>
        </Figure>
      )}
      {!may.oversees && may.manager && (
        <Figure n={f.people.total} words="People in your team" to="/people">
          {f.people.notice > 0 && (
            <span className="muted">
              {f.people.notice.toLocaleString("en")} {f.people.notice === 1 ? "is" : "are"} leaving
            </span>
          )}
        </Figure>
      )}
      {!may.oversees && (
        <Figure n={of.requests.open} words="Your open requests" to="/requests">
          {of.requests.waiting > 0 && (
            <span className="muted">{count(of.requests.waiting, "request waits", "requests wait")} for approval</span>
          )}
        </Figure>
      )}
    </div>
  );
}
