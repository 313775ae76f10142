import "./inbox.css";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay, useMe } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { Button, Failure, Head, LoadingMarker, Part, Skeleton, Text, When } from "../../kit/kit";
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
    done: (_, d) => `Ended. Open tasks return to ${d.delegator_display}.`,
    quiet: true,
  });
  return (
    <>
      <Head
        title="Delegations"
        lead="A delegate makes decisions for another person, for example during a vacation."
        up={<Link to="/inbox">Inbox</Link>}
      >
        {mayWrite && (
          <Button tone="primary" onClick={() => setEdited("new")}>
            Delegate
          </Button>
        )}
      </Head>
      {own && <InEffect of={own} title="Your active delegations" />}
      <List<Delegation>
        label="Delegations"
        path="/decision-tasks/delegations"
        views={[
          { name: "All", query: {} },
          { name: "Active", query: { state: "active" } },
          { name: "Scheduled", query: { state: "scheduled" } },
          { name: "Ended", query: { state: "ended,revoked" } },
        ]}
        columns={[...columns, ...(mayWrite ? [doings(mine, setEdited, setEnded)] : [])]}
        csv="delegations"
        empty={{ title: "No delegations", words: "Before an absence, you can delegate your decisions to another person." }}
      />
      <Suspense fallback={<LoadingMarker />}>
        {edited && <Delegate of={edited === "new" ? undefined : edited} close={() => setEdited(undefined)} />}
      </Suspense>
      {ended && (
        <AskFirst
          open
          close={() => setEnded(undefined)}
          title="End this delegation"
          lead={`Tasks that ${ended.delegate_display} has not decided return to ${ended.delegator_display}.`}
          verb="End delegation"
          tone="danger"
          act={() => end.mutateAsync(ended)}
        />
      )}
    </>
  );
}

const kinds = (d: Delegation) => (d.kinds && d.kinds.length > 0 ? d.kinds.map(kindWords).join(", ") : "everything");

const columns: Column<Delegation>[] = [
  { title: "Delegator", cell: (d) => <Person id={d.delegator_id} name={d.delegator_display} />, text: (d) => d.delegator_display },
  { title: "Delegate", cell: (d) => <Person id={d.delegate_id} name={d.delegate_display} />, text: (d) => d.delegate_display },
  { title: "Tasks", wide: true, cell: kinds, text: kinds },
  { title: "Start", cell: (d) => <When at={d.starts_at} />, text: (d) => d.starts_at },
  { title: "End", cell: (d) => <When at={d.ends_at} none="no end" />, text: (d) => d.ends_at },
  { title: "State", cell: (d) => <State of={d.state} />, text: (d) => d.state },
  { title: "Reason", wide: true, cell: (d) => <Text of={d.reason} />, text: (d) => d.reason },
];

function doings(mine: (d: Delegation) => boolean, change: (d: Delegation) => void, end: (d: Delegation) => void): Column<Delegation> {
  return {
    title: "Edit",
    cell: (d) =>
      mine(d) && (
        <span className="row doings">
          <Button onClick={() => change(d)} aria-label={`Edit the delegation from ${d.delegator_display} to ${d.delegate_display}`}>
            Edit
          </Button>
          <Button
            tone="danger"
            onClick={() => end(d)}
            aria-label={`End the delegation from ${d.delegator_display} to ${d.delegate_display}`}
          >
            End
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
      {by.length === 0 && of_.length === 0 && <p className="small muted">You decide your own tasks. You have no delegations.</p>}
      <ul className="small inbox-said">
        {by.map((p) => (
          <li key={`by ${p.to.id} ${p.kinds.join()}`}>
            <strong>
              <bdi>{p.to.display}</bdi>
            </strong>{" "}
            can decide {what(p.kinds)} for you{through(p)}.
          </li>
        ))}
        {of_.map((p) => (
          <li key={`for ${p.from.id} ${p.kinds.join()}`}>
            You can decide {what(p.kinds)} for{" "}
            <strong>
              <bdi>{p.from.display}</bdi>
            </strong>
            {through(p)}.
          </li>
        ))}
      </ul>
    </Part>
  );
}

const what = (list: string[]) => (list.length === 0 ? "everything" : list.map((k) => kindWords(k).toLowerCase()).join(", "));

function through(p: Of<"DelegationPath">): string {
  const between = p.chain.slice(1, -1).map((r) => r.display);
  return between.length > 0 ? `, through ${between.join(" and ")}` : "";
}
