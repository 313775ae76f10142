import * as text from "#text/approvals";
import "./path.css";
import { Check, CircleDashed, Clock, Hourglass, SkipForward, UserRound, UserRoundX, UsersRound, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Of } from "../../api/types";
import { Text, When } from "../../kit/kit";

/** An approver of a step: the name, why this approver was selected, and the decision. */
export type Approver = {
  words: string;
  /** Whether the words describe several people, such as the members of a role. */
  several?: boolean | undefined;
  state?: string | undefined;
  via?: string | undefined;
  because?: string | undefined;
  for?: string | null | undefined;
  at?: string | null | undefined;
  comment?: string | undefined;
};

/** One step of an approval path; all of its groups must approve. */
export type ApprovalStep = {
  name: string;
  state?: string | undefined;
  due?: string | null | undefined;
  since?: string | null | undefined;
  note?: ReactNode;
  groups: { needed?: number | undefined; approvers: Approver[]; unavailable?: Unavailable[] | undefined }[];
};

/** A person whom the rule names and who cannot decide at present, with the reason. */
export type Unavailable = Pick<Of<"PlanAbsent">, "identity_id" | "display" | "reason">;

const selections: Record<string, string> = {
  delegate: text.delegate,
  fallback: text.fallbackNoApproverWasFound,
  escalation: text.escalatedNoApproverAnswered,
  reassigned: text.reassigned,
};

const states: Record<string, { icon: typeof Check; words: string; at?: (at: ReactNode) => ReactNode }> = {
  approved: { icon: Check, words: text.approvedState, at: text.approvedAt },
  rejected: { icon: X, words: text.rejectedState, at: text.rejectedAt },
  open: { icon: Clock, words: text.decisionPending },
  waiting: { icon: CircleDashed, words: text.notStarted },
  skipped: { icon: SkipForward, words: text.skippedState, at: text.skippedAt },
  expired: { icon: Hourglass, words: text.expiredState, at: text.expiredAt },
  cancelled: { icon: X, words: text.withdrawnState, at: text.withdrawnAt },
};

/** An approval path: the steps in their order, then the result. Each approver is shown with the reason and the decision. */
export function ApprovalPath({ of, end, label }: { of: ApprovalStep[]; end?: ReactNode; label: string }) {
  return (
    <ol className="approval-path" aria-label={label}>
      {of.map((s, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other key than their place
        <li key={i} className={`approval-step ${s.state ?? ""}`}>
          <StepIcon state={s.state} number={i + 1} />
          <div className="approval-step-body">
            <strong>
              <Text of={s.name} none={text.stepI(i + 1)} />
            </strong>
            <Timing of={s} />
            {s.groups.map((g, j) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <Group key={j} of={g} first={j === 0} />
            ))}
            {s.note && <div className="small muted">{s.note}</div>}
          </div>
        </li>
      ))}
      {end && (
        <li className="approval-step approval-result">
          <span className="approval-icon" aria-hidden>
            <Check size={13} />
          </span>
          <div className="approval-step-body">{end}</div>
        </li>
      )}
    </ol>
  );
}

function StepIcon({ state, number }: { state: string | undefined; number: number }) {
  const known = state ? states[state] : undefined;
  const Icon = known?.icon;
  return (
    <span className="approval-icon" title={known?.words}>
      {Icon ? <Icon aria-hidden size={13} /> : <span aria-hidden>{number}</span>}
      {known && <span className="sr">{text.stateOfTheStep(known.words)} </span>}
    </span>
  );
}

function Timing({ of }: { of: ApprovalStep }) {
  const words = timing(of);
  return words ? <span className="small muted">{words}</span> : null;
}

function timing({ state, since, due }: ApprovalStep): ReactNode {
  if (state === "open") {
    const opened = <When at={since ?? null} none={text.now} />;
    return due ? text.pendingAndDue(opened, <When at={due} />) : text.pending(opened);
  }
  if (state && state !== "waiting") return decisionAt(state, since);
  return due ? text.dueAt(<When at={due} />) : null;
}

/** The decision with its time, or without one where the time is not known. */
function decisionAt(state: string, at: string | null | undefined): ReactNode {
  const known = states[state];
  return at && known?.at ? known.at(<When at={at} />) : known?.words;
}

function Group({ of, first }: { of: ApprovalStep["groups"][number]; first: boolean }) {
  const title = groupTitle(of.approvers.length, of.needed ?? 1, first);
  return (
    <div className="approval-group">
      {title && <span className="small muted">{title}</span>}
      <ul>
        {of.approvers.map((p, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one name can be listed twice
          <ApproverLine key={i} of={p} />
        ))}
        {of.approvers.length === 0 && <li className="small bad">{text.noApproverFound}</li>}
        {of.unavailable?.map((p) => (
          <UnavailableLine key={p.identity_id} of={p} />
        ))}
      </ul>
    </div>
  );
}

/** A person who is not asked, with the reason. */
export function UnavailableLine({ of }: { of: Unavailable }) {
  return (
    <li className="approver unavailable">
      <UserRoundX aria-hidden size={14} />
      <span className="small muted">{text.unavailable(<bdi>{of.display}</bdi>, of.reason)}</span>
    </li>
  );
}

function groupTitle(approvers: number, needed: number, first: boolean): string {
  if (approvers <= 1) return first ? "" : text.alsoRequired;
  if (needed >= approvers) return first ? text.allMustApprove : text.alsoAllMustApprove;
  return first ? text.someMustApprove(needed) : text.alsoSomeMustApprove(needed);
}

function ApproverLine({ of }: { of: Approver }) {
  const decided = of.state === "approved" || of.state === "rejected" ? of.state : undefined;
  const Icon = decided ? (states[decided]?.icon ?? Check) : of.several ? UsersRound : UserRound;
  const why = of.for ? text.delegateOf(of.for) : ((of.via && selections[of.via]) ?? of.because);
  return (
    <li className={`approver ${of.state ?? ""}`}>
      <Icon aria-hidden size={14} />
      <span className="approver-text">
        <Text of={of.words} />
        {decided && <span className="small muted">{decisionAt(decided, of.at)}</span>}
        {why && <span className="small muted">{why}</span>}
        {of.comment && (
          <q className="small">
            <Text of={of.comment} />
          </q>
        )}
      </span>
    </li>
  );
}
