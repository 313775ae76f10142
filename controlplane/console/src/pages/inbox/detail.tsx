import { ArrowLeft, Check, X } from "lucide-react";
import { lazy, Suspense } from "react";
import * as text from "#text/inbox";
import { useMay, useSeenPerson } from "../../api/use";
import { Steps } from "../../kit/elements";
import { Badge, Button, Failure, Note, Skeleton, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { Risk, State } from "../../kit/state";
import { Comments, History } from "./comments";
import { factsOf } from "./facts";
import { linksOf, type Place } from "./links";
import { type Action, at, type Detail as Full, keysOf, kindWords, mainOf, rows, type Task, words } from "./tasks";
import { conflictsOf, Why } from "./why";

const More = lazy(() => import("./differences"));
const Sides = lazy(() => import("./sides"));
const EvidencePart = lazy(() => import("./evidence"));
const kindsWithDetails = new Set(["role_proposal", "pack_conflict", "sync_hold", "schema_diff"]);

/** What can be done with the open task. */
export type TaskActions = {
  act: (action: Action, ask?: boolean) => void;
  claim: () => void;
  release: () => void;
  reassign: () => void;
  escalate: () => void;
  undo: () => void;
  back: () => void;
};

type Props = { task: Task; full: Full | undefined; error: unknown; retry: () => void; doings: TaskActions };

/** The open task: what is asked, what can be answered, and everything that speaks for it and against it. */
export function Detail({ task, full, error, retry, doings }: Props) {
  const may = useMay();
  const open = task.state === "open" || task.state === "claimed";
  const refusedLater = full?.history.at(-1)?.event === "refused" ? full.history.at(-1) : undefined;
  return (
    <article className="inbox-detail stack" aria-label={text.openTask}>
      <header className="stack tight">
        <div className="inbox-back">
          <Button reads tone="quiet" onClick={doings.back}>
            <ArrowLeft aria-hidden size={15} /> {text.backKbd(<kbd aria-hidden>U</kbd>)}
          </Button>
        </div>
        <p className="small muted">
          {kindWords(task.kind)}
          {task.source.display && (
            <>
              {" · "}
              <bdi>{task.source.display}</bdi>
            </>
          )}
        </p>
        <h2 className="inbox-title" dir="auto" tabIndex={-1}>
          {task.title}
        </h2>
        <div className="row">
          <Risk of={task.risk_level} />
          {task.priority === "urgent" && <State of="urgent" tone="bad" />}
          {task.claimed_by && <Badge tone="info">{text.claimedByClaimedBy(task.claimed_by.display)}</Badge>}
          {task.acting_for && <Badge tone="info">{text.delegatedByActingFor(task.acting_for.display)}</Badge>}
          {task.sla.breached && open && <State of="overdue" />}
        </div>
      </header>
      {refusedLater && <Note tone="warn">{text.theDecisionCouldNotBeApplied(refusedLater.detail)}</Note>}
      {open ? (
        <Buttons task={task} full={full} readOnly={may.readOnly} admin={may.admin} doings={doings} />
      ) : (
        <ClosedTask task={task} doings={doings} readOnly={may.readOnly} />
      )}
      <section className="card padded stack tight" aria-label={text.facts}>
        <h3>{text.facts}</h3>
        {task.summary && (
          <p className="inbox-summary" dir="auto">
            <Text of={task.summary} />
          </p>
        )}
        {conflictsOf(task).map((c) => (
          <Note key={c} tone="bad">
            {c}
          </Note>
        ))}
        <Why task={task} />
        <dl className="inbox-facts">
          {factsOf(task).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {kindsWithDetails.has(task.kind) && (
          <Suspense fallback={<Skeleton rows={2} />}>
            <More task={task} />
          </Suspense>
        )}
        {task.kind.startsWith("mitigation_") && (
          <Suspense fallback={<Skeleton rows={1} />}>
            <EvidencePart task={task} open={open} />
          </Suspense>
        )}
        {(task.kind === "sod_violation" || task.kind === "provisioning_hold") && (
          <Suspense fallback={<Skeleton rows={3} />}>
            <Sides task={task} />
          </Suspense>
        )}
        <Links task={task} />
      </section>
      <Path task={task} full={full} />
      {full ? (
        <>
          <Comments key={full.id} task={full} mayWrite={!may.readOnly && (open || full.you.may_decide || may.admin)} />
          <History key={`h${full.id}`} task={full} />
        </>
      ) : error ? (
        <Failure error={error} retry={retry} />
      ) : (
        <Skeleton rows={4} />
      )}
    </article>
  );
}

function Buttons({
  task,
  full,
  readOnly,
  admin,
  doings,
}: {
  task: Task;
  full: Full | undefined;
  readOnly: boolean;
  admin: boolean;
  doings: TaskActions;
}) {
  if (readOnly) return null;
  const keys = [...keysOf(task.actions)];
  const barred = full && !full.you.may_decide;
  return (
    <div className="stack tight">
      {barred ? (
        <Note tone="warn">{full.you.detail || text.youAreNotAnApproverOf}</Note>
      ) : (
        <div className="row" role="toolbar" aria-label={text.decision}>
          {task.actions.map((a) => {
            const key = keys.find(([, action]) => action === a.key)?.[0];
            const main = a.key === mainOf(task);
            return (
              <Button
                key={a.key}
                tone={main ? "primary" : a.style === "negative" ? "danger" : "plain"}
                // The second half of a double click would decide the next task, which has taken the place of this one unread.
                onClick={(e) => e.detail > 1 || doings.act(a)}
                aria-keyshortcuts={key}
              >
                {a.style === "positive" && <Check aria-hidden size={15} />}
                {a.style === "negative" && <X aria-hidden size={15} />}
                {a.label}
                {a.requires.length > 0 && "…"}
                {key && <kbd aria-hidden>{key.toUpperCase()}</kbd>}
              </Button>
            );
          })}
        </div>
      )}
      <div className="row">
        {(!barred || admin) && (
          <Button tone="quiet" onClick={doings.reassign} aria-keyshortcuts="d">
            {text.reassignKbd(<kbd aria-hidden>D</kbd>)}
          </Button>
        )}
        <Menu
          words={text.more}
          label={text.moreActions}
          of={[
            !barred && task.state === "open" && { words: text.claim, act: doings.claim },
            task.state === "claimed" && { words: text.release, act: doings.release },
            { words: text.escalateEllipsis, act: doings.escalate },
            ...task.actions
              .filter((a) => !barred && a.requires.length === 0)
              .map((a) => ({ words: text.labelWithAComment(a.label), act: () => doings.act(a, true) })),
          ]}
        />
      </div>
    </div>
  );
}

/** What became of a task that waits no more. */
function ClosedTask({ task, doings, readOnly }: { task: Task; doings: TaskActions; readOnly: boolean }) {
  const d = task.decision;
  const undoable = task.state === "decided" && task.apply_at && Date.parse(task.apply_at) > Date.now();
  return (
    <Note tone={undoable ? "info" : "ok"}>
      <div className="row between">
        <span>
          {d ? (
            <>
              {text.labelDecidedByByAt(
                <strong>{task.actions.find((a) => a.key === d.action)?.label ?? d.action}</strong>,
                <bdi>{d.by.display}</bdi>,
                <When at={d.at} />,
              )}
              {d.comment && <> “{d.comment}”</>}
            </>
          ) : (
            <>
              <State of={task.state} /> {task.closed_reason}
            </>
          )}
          {undoable && <> {text.itBecomesFinalApplyAt(<When at={task.apply_at} />)}</>}
        </span>
        {undoable && !readOnly && <Button onClick={doings.undo}>{text.undo}</Button>}
      </div>
    </Note>
  );
}

function Links({ task }: { task: Task }) {
  const may = useMay();
  // Approvers know the request and the person; the rest is for whoever sees the whole tenant, or owns something.
  const seen = (to: string) => may.oversees || may.owner || /^.(people|requests)/.test(to);
  const links = linksOf(task).filter((l) => seen(l.to));
  if (links.length === 0) return null;
  return (
    <p className="small inbox-links">
      {links.map((l) => (
        <TaskLink key={l.to + JSON.stringify(l.params)} of={l} />
      ))}
    </p>
  );
}

/** A link, or for a person whose record the user may not see nothing: the facts name them. */
function TaskLink({ of: l }: { of: Place }) {
  const person = l.to === "/people/$id";
  const seen = useSeenPerson(person ? l.params?.id : undefined);
  if (person && !seen) return null;
  return (
    <Link className="inbox-link" to={l.to} params={l.params} search={l.search ?? {}}>
      {l.words}
    </Link>
  );
}

/** The way of approval: who has decided before, who is asked now, how many come after. */
function Path({ task, full }: { task: Task; full: Full | undefined }) {
  const before = rows(task.context, "decided_before");
  const stages = Number(at(task.context, "stage", "of") ?? 0);
  const index = Number(at(task.context, "stage", "index") ?? 0);
  const asked = full ? full.candidates.map((c) => c.display) : task.assignees.map((a) => a.display);
  const who = [...new Set(asked)];
  const waiting = who.length > 3 ? text.whoAndCountMore(who.slice(0, 3).join(", "), who.length - 3) : who.join(", ");
  const named = before.map((b) => ({
    words: words(b, "stage") ?? text.step,
    detail: text.decidedBy(words(b, "decision"), words(b, "by")),
    state: words(b, "decision") === "rejected" ? ("bad" as const) : ("done" as const),
  }));
  const now = {
    words: words(task.context, "stage", "name") ?? text.decisionPending,
    detail: waiting || (task.roles.length > 0 ? text.everyoneWithTheRoleRoles(task.roles.join(", ").replaceAll("_", " ")) : "nobody"),
    state: task.state === "decided" ? ("done" as const) : ("here" as const),
  };
  const later = Array.from({ length: Math.max(0, stages - index - 1) }, (_, i) => ({
    words: text.stepIndex(index + i + 2),
    detail: "next",
    state: "todo" as const,
  }));
  return (
    <section className="stack tight" aria-label={text.approvers}>
      <h3>{text.approvers}</h3>
      <Steps label={text.approvalSteps} of={unique([...named, now, ...later])} />
    </section>
  );
}

/** Stages may be called the same; a number tells them apart. */
const unique = <T extends { words: string }>(of: T[]): T[] =>
  of.map((s, i) => (of.findIndex((o) => o.words === s.words) < i ? { ...s, words: `${s.words} (${i + 1})` } : s));
