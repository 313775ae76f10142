import * as text from "#text/approvals";
import "./path.css";
import { Check, CircleDashed, Clock, Hourglass, SkipForward, UserRound, UsersRound, X } from "lucide-react";
import type { ReactNode } from "react";
import { Text, When } from "../../kit/kit";

/** Somebody in a stage: who, how they came to be asked, and what they said. */
export type Seat = {
  words: string;
  state?: string | undefined;
  via?: string | undefined;
  because?: string | undefined;
  for?: string | null | undefined;
  at?: string | null | undefined;
  comment?: string | undefined;
};

/** One stage of an approval path; all of its groups must agree. */
export type Station = {
  name: string;
  state?: string | undefined;
  due?: string | null | undefined;
  since?: string | null | undefined;
  note?: ReactNode;
  groups: { needed?: number | undefined; seats: Seat[] }[];
};

const vias: Record<string, string> = {
  delegate: text.delegate,
  fallback: text.fallbackNoApproverWasFound,
  escalation: text.escalatedNoApproverAnswered,
  reassigned: text.reassigned,
};

const signs: Record<string, { icon: typeof Check; words: string }> = {
  approved: { icon: Check, words: text.agreed },
  rejected: { icon: X, words: text.refused },
  open: { icon: Clock, words: text.decisionPending },
  waiting: { icon: CircleDashed, words: text.notStarted },
  skipped: { icon: SkipForward, words: text.skipped },
  expired: { icon: Hourglass, words: text.expired },
  cancelled: { icon: X, words: text.withdrawn },
};

/** An approval path, drawn stage by stage from who asks to what follows. Beside each name stands why they are asked and what they said. */
export function ApprovalPath({ of, end, label }: { of: Station[]; end?: ReactNode; label: string }) {
  return (
    <ol className="apath" aria-label={label}>
      {of.map((s, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: stages have no other key than their place
        <li key={i} className={`apath-stage ${s.state ?? ""}`}>
          <Sign of={s.state} number={i + 1} />
          <div className="apath-body">
            <strong>
              <Text of={s.name} none={text.stepI(i + 1)} />
            </strong>
            <Timing of={s} />
            {s.groups.map((g, j) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <Group key={j} of={g} more={j > 0} />
            ))}
            {s.note && <div className="small muted">{s.note}</div>}
          </div>
        </li>
      ))}
      {end && (
        <li className="apath-stage apath-end">
          <span className="apath-sign" aria-hidden>
            <Check size={13} />
          </span>
          <div className="apath-body">{end}</div>
        </li>
      )}
    </ol>
  );
}

function Sign({ of, number }: { of: string | undefined; number: number }) {
  const sign = of ? signs[of] : undefined;
  const Icon = sign?.icon;
  return (
    <span className="apath-sign" title={sign?.words}>
      {Icon ? <Icon aria-hidden size={13} /> : <span aria-hidden>{number}</span>}
      {sign && <span className="sr">{sign.words}: </span>}
    </span>
  );
}

function Timing({ of }: { of: Station }) {
  if (of.state === "open")
    return (
      <span className="small muted">
        {text.pendingSinceSince(<When at={of.since ?? null} none={text.now} />)}
        {of.due && <>{text.dueDue(<When at={of.due} />)}</>}
      </span>
    );
  const word = of.state && signs[of.state]?.words;
  if (of.state && of.state !== "waiting")
    return (
      <span className="small muted">
        {word}
        {of.since && (
          <>
            {" "}
            <When at={of.since} />
          </>
        )}
      </span>
    );
  return of.due ? <span className="small muted">{text.dueDueLower(<When at={of.due} />)}</span> : null;
}

function Group({ of, more }: { of: Station["groups"][number]; more: boolean }) {
  const several = of.seats.length > 1;
  const needed = of.needed ?? 1;
  return (
    <div className="apath-group">
      {(more || several) && (
        <span className="small muted">
          {more ? "and " : ""}
          {several ? (needed >= of.seats.length ? text.allOf : needed === 1 ? text.oneOf : text.neededOf(needed)) : ""}
        </span>
      )}
      <ul>
        {of.seats.map((p, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same name can stand there twice
          <SeatLine key={i} of={p} />
        ))}
        {of.seats.length === 0 && <li className="small bad">{text.noApproverFound}</li>}
      </ul>
    </div>
  );
}

function SeatLine({ of }: { of: Seat }) {
  const said = of.state === "approved" ? "agreed" : of.state === "rejected" ? "refused" : "";
  const why = [of.via && vias[of.via], of.for ? text.forForValue(of.for) : "", of.via && vias[of.via] ? "" : of.because]
    .filter(Boolean)
    .join(", ");
  const Icon = said === "agreed" ? Check : said === "refused" ? X : /^(Whoever|Any|All) /.test(of.words) ? UsersRound : UserRound;
  return (
    <li className={`apath-seat ${of.state ?? ""}`}>
      <Icon aria-hidden size={14} />
      <span className="apath-who">
        <Text of={of.words} />
        {(said || why) && (
          <span className="small muted">
            {said && (
              <>
                {said} <When at={of.at ?? null} none="" />
              </>
            )}
            {said && why ? ", " : ""}
            {why}
          </span>
        )}
        {of.comment && (
          <q className="small">
            <Text of={of.comment} />
          </q>
        )}
      </span>
    </li>
  );
}
