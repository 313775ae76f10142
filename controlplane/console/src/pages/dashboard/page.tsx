import { Plug } from "lucide-react";
import * as text from "#text/dashboard";
import type { Of } from "../../api/types";
import { useGet, useMay, useMe } from "../../api/use";
import { Failure, Head, Skeleton, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import "./dashboard.css";
import { Findings } from "./findings";
import { Funnel } from "./funnel";
import { Checklist, ConnectorProblems, Figure, Requests, Tasks } from "./parts";
import { Timeline } from "./timeline";
import { greeting, openTasksText } from "./words";

type DashboardFigures = Of<"Dashboard">;

/** What needs attention and how far the tenant is, for what the viewer may see. */
export default function Dashboard() {
  const me = useMe();
  const may = useMay();
  const sum = useGet<DashboardFigures>("/dashboard", {}, { every: 30_000 });
  return (
    <>
      <Head title={greeting(me?.user?.display_name ?? "", new Date().getHours())} lead={sum.data ? openTasksText(sum.data) : text.loading}>
        {may.admin && (
          <Link to="/connectors/new" className="button">
            <Plug aria-hidden size={15} /> {text.connectASystem}
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

function Summed({ of }: { of: DashboardFigures }) {
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
        <div className="dash-columns">
          <Tasks open={of.inbox.open} />
          <Requests />
        </div>
      )}
    </>
  );
}

function Figures({ of }: { of: DashboardFigures }) {
  const may = useMay();
  const { figures: f, connectors, inbox } = of;
  const worst = connectors?.failing[0];
  return (
    <div className="dash-figures">
      <Figure n={inbox.open} words={text.decisionTasks} to="/inbox">
        {inbox.overdue > 0 && <span className="badge bad">{text.overdueOverdue(inbox.overdue.toLocaleString("en"))}</span>}
        {inbox.overdue === 0 && inbox.due_soon > 0 && (
          <span className="badge warn">{text.dueSoonDueWithinADay(inbox.due_soon.toLocaleString("en"))}</span>
        )}
      </Figure>
      {connectors && (
        <Figure n={connectors.failing_total} words={text.failingConnectors} to="/connectors">
          {worst && (
            <span className="muted">{text.nameFailingSinceSince(<bdi>{worst.name.slice(0, 40)}</bdi>, <When at={worst.since} />)}</span>
          )}
        </Figure>
      )}
      {(may.oversees || may.owner) && (
        <Figure n={f.accounts.orphaned} words={text.orphanAccounts} to="/accounts" search={{ orphaned: "true" }}>
          {f.accounts.uncorrelated > 0 && (
            <span className="muted">{text.andUncorrelatedUncorrelated(f.accounts.uncorrelated.toLocaleString("en"))}</span>
          )}
        </Figure>
      )}
      {may.oversees && (
        <Figure n={of.provisioning.failed} words={text.failedProvisioningTasks} to="/provisioning" search={{ state: "failed" }}>
          <span className="muted">{of.provisioning.failed > 0 ? text.aPersonMustAct : text.otherTasksAreCompletedOrWaiting}</span>
        </Figure>
      )}
      {!may.oversees && may.manager && (
        <Figure n={f.people.total} words={text.peopleInYourTeam} to="/people">
          {f.people.notice > 0 && (
            <span className="muted">
              {f.people.notice === 1
                ? text.noticeIsLeaving(f.people.notice.toLocaleString("en"))
                : text.noticeAreLeaving(f.people.notice.toLocaleString("en"))}
            </span>
          )}
        </Figure>
      )}
      {!may.oversees && (
        <Figure n={of.requests.open} words={text.yourOpenRequests} to="/requests">
          {of.requests.waiting > 0 && <span className="muted">{text.requestsWaitForApproval(of.requests.waiting)}</span>}
        </Figure>
      )}
    </div>
  );
}
