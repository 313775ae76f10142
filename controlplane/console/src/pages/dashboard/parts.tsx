import { Check, Circle } from "lucide-react";
import type { ReactNode } from "react";
import * as text from "#text/dashboard";
import type { Of } from "../../api/types";
import { useGet, useMay, useMe } from "../../api/use";
import { Failure, Skeleton, Text, When } from "../../kit/kit";
import { Link, type Search } from "../../kit/link";
import { State } from "../../kit/state";
import { statusWords } from "../requests/words";

/** A figure that leads to the list it counts. */
export function Figure({
  n,
  words,
  to,
  search,
  children,
}: {
  n: number;
  words: string;
  to: string;
  search?: Search;
  children?: ReactNode;
}) {
  return (
    <Link to={to} search={search} className="card padded dash-figure">
      <span className="muted">{words}</span>
      <strong className="figure">{n.toLocaleString("en")}</strong>
      {children && <span className="small">{children}</span>}
    </Link>
  );
}

const steps: { name: keyof Of<"DashboardChecklist">; words: string; lead: string; to: string; search?: Search; write?: string }[] = [
  {
    name: "system_connected",
    words: text.connectASystem,
    lead: text.startWithHrTheSourceOf,
    to: "/connectors",
    write: "/connectors/new",
  },
  { name: "first_sync_done", words: text.runTheFirstSync, lead: text.syncsPeopleAccountsAndAccess, to: "/connectors" },
  {
    name: "reach_healthy",
    words: text.checkConnections,
    lead: text.throughAnAgentInYourNetwork,
    to: "/settings/agents",
  },
  {
    name: "sector_pack_installed",
    words: text.installASectorPack,
    lead: text.rolesAndPoliciesForYourSector,
    to: "/sector-packs",
  },
  {
    name: "second_user_invited",
    words: text.inviteUser,
    lead: text.haveAtLeastTwoAdministrators,
    to: "/settings/users",
    search: { invite: "1" },
  },
];

/** The first steps of a tenant, each with a way to it. */
export function Checklist({ of }: { of: Of<"DashboardChecklist"> }) {
  const may = useMay();
  const done = steps.filter((s) => of[s.name]).length;
  return (
    <section className="card padded stack tight" aria-labelledby="first-steps">
      <div className="row between">
        <h2 id="first-steps">{text.firstSteps}</h2>
        <span className="muted small">{text.doneOfCountDone(done, steps.length)}</span>
      </div>
      <ol className="dash-steps">
        {steps.map((s) => (
          <li key={s.name} className={of[s.name] ? "done" : ""}>
            {of[s.name] ? <Check aria-hidden size={16} /> : <Circle aria-hidden size={16} />}
            <span>
              {of[s.name] ? (
                <>
                  {s.words} <span className="sr">{text.isDone}</span>
                </>
              ) : (
                <Link to={may.admin && s.write ? s.write : s.to} search={may.admin ? s.search : undefined}>
                  {s.words}
                </Link>
              )}
              <span className="small muted block">{s.lead}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What administrators must look at: systems that fail, and syncs that wait for a decision. */
export function ConnectorProblems({ of, held }: { of: Of<"DashboardConnectors">; held: Of<"DashboardHeld"> }) {
  if (of.failing.length === 0 && held.items.length === 0) return null;
  return (
    <section className="card padded stack tight" aria-labelledby="trouble">
      <h2 id="trouble">{text.needsAttention}</h2>
      <ul className="dash-list">
        {of.failing.slice(0, 5).map((f) => (
          <li key={f.id}>
            <Link to={f.run_id ? "/connectors/$id/runs/$run" : "/connectors/$id"} params={{ id: f.id, run: f.run_id ?? "" }}>
              <Text of={f.name} />
            </Link>
            <span className="small muted">{text.failingSinceSince(<When at={f.since} />)}</span>
            {f.error_summary && (
              <span className="small dash-cause" dir="auto">
                {f.error_summary.slice(0, 240)}
              </span>
            )}
          </li>
        ))}
        {held.items.slice(0, 5).map((h) => (
          <li key={h.id}>
            <Link to="/connectors/$id/runs/$run" params={{ id: h.connector_id, run: h.id }}>
              <Text of={h.connector_name} />
            </Link>
            <span className="small muted">{text.isHeldForReviewDiscardedHeld(<When at={h.held_until} none={text.inTime} />)}</span>
          </li>
        ))}
      </ul>
      {(of.failing_total > 5 || held.total > 5) && (
        <Link to="/connectors" className="small">
          {text.seeAllFailingTotal((of.failing_total + held.total).toLocaleString("en"))}
        </Link>
      )}
    </section>
  );
}

/** The decisions that have waited for longest. */
export function Tasks({ open }: { open: number }) {
  const tasks = useGet<Of<"ListDecisionTask">>("/decision-tasks", { limit: 5 }, { every: 30_000 });
  return (
    <section className="card padded stack tight" aria-labelledby="tasks">
      <div className="row between">
        <h2 id="tasks">{text.decisionTasks}</h2>
        {open > 5 && (
          <Link to="/inbox" className="small">
            {text.allOpen(open.toLocaleString("en"))}
          </Link>
        )}
      </div>
      {tasks.isPending ? (
        <Skeleton rows={3} />
      ) : tasks.isError ? (
        <Failure error={tasks.error} retry={() => void tasks.refetch()} />
      ) : tasks.data.items.length === 0 ? (
        <p className="muted">{text.noOpenDecisionTasks}</p>
      ) : (
        <ul className="dash-list">
          {tasks.data.items.map((t) => (
            <li key={t.id}>
              <Link to="/inbox" search={{ task: t.id }}>
                <Text of={t.title} />
              </Link>
              {t.due_at && <span className="small muted">{text.dueDueAt(<When at={t.due_at} />)}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What somebody has asked for, or somebody else for them. */
export function Requests() {
  const me = useMe();
  const mine = me?.user?.identity_id;
  const requests = useGet<Of<"ListAccessRequest">>("/access-requests", { requested_for: mine ?? "", limit: 5 }, { enabled: Boolean(mine) });
  return (
    <section className="card padded stack tight" aria-labelledby="requests">
      <div className="row between">
        <h2 id="requests">{text.yourRequests}</h2>
        <Link to="/access/request" className="button">
          {text.requestAccess}
        </Link>
      </div>
      {requests.isError ? (
        <Failure error={requests.error} retry={() => void requests.refetch()} />
      ) : mine && requests.isPending ? (
        <Skeleton rows={3} />
      ) : requests.data?.items.length ? (
        <ul className="dash-list">
          {requests.data.items.map((r) => (
            <li key={r.id}>
              <Link to="/requests/$id" params={{ id: r.id }}>
                <Text of={r.items.map((i) => i.display).join(", ") || r.number} />
              </Link>
              <State of={r.status} words={statusWords(r.status, r.kind)} />
            </li>
          ))}
        </ul>
      ) : (
        <p className="muted">{text.noRequestsYet}</p>
      )}
    </section>
  );
}
