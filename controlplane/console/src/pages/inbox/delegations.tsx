import * as text from "#text/inbox";
import "./inbox.css";
import { lazy, Suspense, useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay, useMe } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Button, Failure, Head, LoadingMarker, Part, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { PersonLink } from "../../kit/personlink";
import { State } from "../../kit/state";
import { kindWords } from "./tasks";

const Delegate = lazy(() => import("./delegate"));
type Delegation = Of<"DecisionDelegation">;

/** Who decides for whom, and until when. */
export default function Delegations() {
  const may = useMay();
  const me = useMe();
  const [edited, setEdited] = useState<Delegation | "new">();
  const [ended, setEnded] = useState<Delegation>();
  const own = me?.user?.identity_id;
  const mayWrite = !may.readOnly && (may.admin || Boolean(own));
  const mine = (d: Delegation) => mayWrite && (may.admin || d.delegator_id === own) && (d.state === "active" || d.state === "scheduled");
  const end = useAct<Delegation>({
    act: (d, key) => ask("DELETE", `/decision-tasks/delegations/${d.id}`, { ifMatch: d.version, key }),
    changes: ["/decision-tasks"],
    done: (_, d) => text.endedOpenTasksReturnToDelegator(d.delegator_display),
    quiet: true,
  });
  return (
    <>
      <Head title={text.delegations} lead={text.aDelegateMakesDecisionsForAnother} up={<Link to="/inbox">{text.inbox}</Link>}>
        {mayWrite && (
          <Button tone="primary" onClick={() => setEdited("new")}>
            {text.delegate}
          </Button>
        )}
      </Head>
      {own && <InEffect of={own} title={text.yourActiveDelegations} />}
      <List<Delegation>
        label={text.delegations}
        path="/decision-tasks/delegations"
        views={[
          { name: text.all, query: {} },
          { name: text.active, query: { state: "active" } },
          { name: text.scheduled, query: { state: "scheduled" } },
          { name: text.ended, query: { state: "ended,revoked" } },
        ]}
        columns={[...columns, ...(mayWrite ? [actionColumn(mine, setEdited, setEnded)] : [])]}
        csv="delegations"
        empty={{ title: text.noDelegations, words: text.beforeAnAbsenceYouCanDelegate }}
      />
      <Suspense fallback={<LoadingMarker />}>
        {edited && <Delegate of={edited === "new" ? undefined : edited} close={() => setEdited(undefined)} />}
      </Suspense>
      {ended && (
        <ConfirmDialog
          open
          close={() => setEnded(undefined)}
          title={text.endThisDelegation}
          lead={text.tasksThatDelegateDisplayHasNot(ended.delegate_display, ended.delegator_display)}
          verb={text.endDelegation}
          tone="danger"
          act={() => end.mutateAsync(ended)}
        />
      )}
    </>
  );
}

const kinds = (d: Delegation) => (d.kinds && d.kinds.length > 0 ? d.kinds.map(kindWords).join(", ") : "everything");

/** The limits of a delegation, in a few words. */
const limits = (d: Delegation) =>
  [
    d.systems.map((s) => s.display ?? s.id).join(", "),
    d.risk_levels?.length ? text.riskOf(d.risk_levels.map((r) => riskWords[r] ?? r)) : "",
    d.sentence ? text.peopleWhose(d.sentence) : "",
  ]
    .filter(Boolean)
    .join("; ");

const riskWords: Record<string, string> = { low: text.low, medium: text.medium, high: text.high, critical: text.critical };

const columns: Column<Delegation>[] = [
  { title: text.delegator, cell: (d) => <Person id={d.delegator_id} name={d.delegator_display} />, text: (d) => d.delegator_display },
  { title: text.delegate, cell: (d) => <Person id={d.delegate_id} name={d.delegate_display} />, text: (d) => d.delegate_display },
  {
    title: text.tasks,
    wide: true,
    cell: (d) => (
      <>
        {kinds(d)}
        {limits(d) && (
          <div className="small muted">
            <Text of={limits(d)} />
          </div>
        )}
      </>
    ),
    text: (d) => [kinds(d), limits(d)].filter(Boolean).join("; "),
  },
  { title: text.start, cell: (d) => <When at={d.starts_at} />, text: (d) => d.starts_at },
  { title: text.end, cell: (d) => <When at={d.ends_at} none={text.noEnd} />, text: (d) => d.ends_at },
  { title: text.state, cell: (d) => <State of={d.state} />, text: (d) => d.state },
  { title: text.reason, wide: true, cell: (d) => <Text of={d.reason} />, text: (d) => d.reason },
];

function actionColumn(mine: (d: Delegation) => boolean, change: (d: Delegation) => void, end: (d: Delegation) => void): Column<Delegation> {
  return {
    title: text.edit,
    cell: (d) =>
      mine(d) && (
        <span className="row doings">
          <Button
            onClick={() => change(d)}
            aria-label={text.editTheDelegationFromDelegatorDisplay(d.delegator_display, d.delegate_display)}
          >
            {text.edit}
          </Button>
          <Button
            tone="danger"
            onClick={() => end(d)}
            aria-label={text.endTheDelegationFromDelegatorDisplay(d.delegator_display, d.delegate_display)}
          >
            {text.end}
          </Button>
        </span>
      ),
  };
}

function Person({ id, name }: { id: string | undefined; name: string }) {
  if (!id) return <bdi>{name}</bdi>;
  return (
    <PersonLink id={id}>
      <bdi>{name}</bdi>
    </PersonLink>
  );
}

/** Who decides for somebody now, and for whom they decide, with the people in between. */
export function InEffect({ of, title }: { of: string; title: string }) {
  const now = useGet<Of<"EffectiveDelegation">>("/decision-tasks/delegations/effective", { identity_id: of });
  if (now.isPending) return <Skeleton rows={1} />;
  if (now.error) return <Failure error={now.error} retry={() => void now.refetch()} />;
  const { decided_by: by, decides_for: of_ } = now.data;
  return (
    <Part title={title}>
      {by.length === 0 && of_.length === 0 && <p className="small muted">{text.youDecideYourOwnTasksYou}</p>}
      <ul className="small inbox-reason">
        {by.map((p) => (
          <li key={JSON.stringify(p)}>
            {text.toCanDecideWhatForYou(
              <strong>
                <bdi>{p.to.display}</bdi>
              </strong>,
              what(p),
              through(p),
            )}
          </li>
        ))}
        {of_.map((p) => (
          <li key={JSON.stringify(p)}>
            {text.youCanDecideWhatForFrom(
              what(p),
              <strong>
                <bdi>{p.from.display}</bdi>
              </strong>,
              through(p),
            )}
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** What a way of delegations is for, in words. */
function what(p: Of<"DelegationPath">): string {
  const named = p.kinds.length === 0 ? "everything" : p.kinds.map((k) => kindWords(k).toLowerCase()).join(", ");
  return p.conditional || p.system_ids.length > 0 || p.risk_levels.length > 0 ? text.withinLimits(named) : named;
}

function through(p: Of<"DelegationPath">): string {
  const between = p.chain.slice(1, -1).map((r) => r.display ?? "");
  return between.length > 0 ? text.throughBetween(between) : "";
}
