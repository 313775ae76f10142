import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import * as text from "#text/approvals";
import { DurationField } from "../../kit/durationfield";
import { Check, SelectField, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { ManyPick } from "../policies/manypick";
import { type ApproverGroup, actions, type Escalation, type Stage } from "./model";
import { Calendar, OtherRule, type ProblemLookup, Resolvers } from "./resolvers";
import { Waiting } from "./wait";

type Props = {
  of: Stage;
  set: (s: Stage) => void;
  at: string;
  wrong: ProblemLookup;
  n: number;
  move: (by: -1 | 1) => void;
  drop: () => void;
  last: boolean;
  rule?: string | undefined;
};

/** One stage of a chain: who is asked, how they are counted, and what happens when nobody answers. */
export function StageEditor({ of: s, set, at, wrong, n, move, drop, last, rule }: Props) {
  const group = (i: number, g: ApproverGroup | undefined) =>
    set({ ...s, groups: s.groups.flatMap((x, j) => (j !== i ? [x] : g ? [g] : [])) });
  const more = (name: keyof Stage, v: unknown) => set({ ...s, [name]: v });
  const about = s.name.trim() || text.stepN(n);
  return (
    <div className="rule-stage stack">
      <div className="row between">
        <h4>{text.stepNText(n)}</h4>
        <div className="row">
          <Button tone="quiet" className="icon" aria-label={text.aboutEarlier(about)} disabled={n === 1} onClick={() => move(-1)}>
            <ArrowUp aria-hidden size={14} />
          </Button>
          <Button tone="quiet" className="icon" aria-label={text.aboutLater(about)} disabled={last} onClick={() => move(1)}>
            <ArrowDown aria-hidden size={14} />
          </Button>
          <Button tone="quiet" className="icon" aria-label={text.removeAbout(about)} onClick={drop}>
            <X aria-hidden size={14} />
          </Button>
        </div>
      </div>
      <div className="fields">
        <TextField label={text.name} value={s.name} set={(t) => more("name", t)} error={wrong(`${at}/name`)} max={200} required />
        <DurationField
          label={text.timeToAnswer}
          value={s.respond_within}
          set={(t) => more("respond_within", t)}
          hint={text.inWorkingTimeADayIs}
          error={wrong(`${at}/respond_within`)}
          required
        />
      </div>
      {s.groups.map((g, i) => (
        <GroupEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: groups have no other name than their place
          key={i}
          of={g}
          set={(x) => group(i, x)}
          at={`${at}/groups/${i}`}
          wrong={wrong}
          n={i}
          drop={s.groups.length > 1 ? () => group(i, undefined) : undefined}
        />
      ))}
      {wrong(`${at}/groups`) && <small className="bad">{wrong(`${at}/groups`)}</small>}
      <div>
        <Button tone="quiet" onClick={() => set({ ...s, groups: [...s.groups, { mode: "any", approvers: [{ kind: "resource_owner" }] }] })}>
          <Plus aria-hidden size={14} /> {text.addParallelGroup}
        </Button>
      </div>
      <Disclosure title={text.ifNoApproverAnswers} open={Boolean(s.reminders?.length || s.escalation?.length || wrong(`${at}/escalation`))}>
        <Reminders of={s.reminders ?? []} set={(r) => more("reminders", r)} at={`${at}/reminders`} wrong={wrong} />
        <Escalations of={s.escalation ?? []} set={(e) => more("escalation", e)} at={`${at}/escalation`} wrong={wrong} rule={rule} />
      </Disclosure>
      <Disclosure title={text.ifNoApproverIsFound} open={Boolean(s.fallback?.length)}>
        <p className="small muted">{text.thesePeopleAreAskedInsteadIf}</p>
        <Resolvers
          label={text.fallbackApprovers}
          of={s.fallback ?? []}
          set={(r) => more("fallback", r)}
          at={`${at}/fallback`}
          wrong={wrong}
          add={text.addFallbackApprover}
        />
      </Disclosure>
      <Disclosure title={text.moreSettings} open={Boolean(s.wait || s.decision_window || s.calendar_id)}>
        <div className="fields">
          <SelectField
            label={text.requireAComment}
            value={s.require_comment ?? "none"}
            set={(c) => more("require_comment", c)}
            options={[
              ["none", text.never],
              ["reject", text.toReject],
              ["approve", text.toApprove],
              ["both", text.alwaysLower],
            ]}
            error={wrong(`${at}/require_comment`)}
          />
          <Calendar of={s.calendar_id ?? ""} set={(id) => more("calendar_id", id)} error={wrong(`${at}/calendar_id`)} />
        </div>
        <Check label={text.allowDelegatesToApprove} value={s.allow_delegation ?? true} set={(on) => more("allow_delegation", on)} />
        <Check label={text.allowApproversToReassign} value={s.allow_reassign ?? true} set={(on) => more("allow_reassign", on)} />
        {(s.allow_reassign ?? true) && (
          <ManyPick
            label={text.allowedPeople}
            kind="people"
            ids={s.reassign_allow_list ?? []}
            set={(ids) => more("reassign_allow_list", ids)}
            hint={text.leaveEmptyToAllowEveryone}
            error={wrong(`${at}/reassign_allow_list/0`)}
          />
        )}
        <Waiting of={s} set={set} at={at} wrong={wrong} />
      </Disclosure>
    </div>
  );
}

/** What is seldom needed: folded away until it is. */
export function Disclosure({ title, open, children }: { title: string; open?: boolean; children: ReactNode }) {
  return (
    <details className="rule-disclosure" open={open}>
      <summary>{title}</summary>
      <div className="stack">{children}</div>
    </details>
  );
}

type GroupProps = {
  of: ApproverGroup;
  set: (g: ApproverGroup) => void;
  at: string;
  wrong: ProblemLookup;
  n: number;
  drop: (() => void) | undefined;
};

function GroupEditor({ of: g, set, at, wrong, n, drop }: GroupProps) {
  return (
    <fieldset className="rule-group stack tight">
      <legend className="small muted">{n === 0 ? text.approvers : text.andAlso}</legend>
      <Resolvers
        label={text.approver}
        of={g.approvers}
        set={(approvers) => set({ ...g, approvers })}
        at={`${at}/approvers`}
        wrong={wrong}
      />
      <div className="fields">
        <SelectField
          label={text.requiredApprovals}
          value={g.mode}
          set={(mode) => set(mode === "quorum" ? { ...g, mode, quorum: g.quorum ?? 2 } : { mode, approvers: g.approvers })}
          options={[
            ["any", text.one],
            ["all", text.allLower],
            ["quorum", text.aFixedNumber],
          ]}
          error={wrong(`${at}/mode`)}
        />
        {g.mode === "quorum" && (
          <TextField
            label={text.numberOfApprovals}
            type="number"
            value={String(g.quorum ?? "")}
            set={(t) => set({ ...g, quorum: Number(t) })}
            error={wrong(`${at}/quorum`)}
          />
        )}
      </div>
      {drop && (
        <div>
          <Button tone="quiet" onClick={drop}>
            {text.removeGroup}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function Reminders({ of, set, at, wrong }: { of: string[]; set: (r: string[]) => void; at: string; wrong: ProblemLookup }) {
  return (
    <div className="stack tight">
      {of.map((r, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name than their place
        <div key={i} className="row rule-resolver">
          <DurationField
            label={text.reminderBeforeTheDueTimeI(i + 1)}
            value={r}
            set={(t) => set(of.map((x, j) => (j === i ? t : x)))}
            error={wrong(`${at}/${i}`)}
            required
          />
          <Button tone="quiet" className="icon" aria-label={text.removeReminderI(i + 1)} onClick={() => set(of.filter((_, j) => j !== i))}>
            <X aria-hidden size={14} />
          </Button>
        </div>
      ))}
      <div>
        <Button tone="quiet" onClick={() => set([...of, "P1D"])}>
          <Plus aria-hidden size={14} /> {text.reminder}
        </Button>
      </div>
    </div>
  );
}

type EscProps = { of: Escalation[]; set: (e: Escalation[]) => void; at: string; wrong: ProblemLookup; rule?: string | undefined };

function Escalations({ of, set, at, wrong, rule }: EscProps) {
  const put = (i: number, e: Escalation) => set(of.map((x, j) => (j === i ? e : x)));
  return (
    <div className="stack tight">
      {of.map((e, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name than their place
        <div key={i} className="rule-group stack tight">
          <div className="fields">
            <DurationField
              label={text.escalateAfterI(i + 1)}
              value={e.after}
              set={(after) => put(i, { ...e, after })}
              error={wrong(`${at}/${i}/after`)}
              required
            />
            <SelectField
              label={text.action}
              value={e.action}
              set={(action) =>
                put(i, {
                  after: e.after,
                  action,
                  ...(action === "add" || action === "replace" ? { to: e.to ?? [{ kind: "manager", level: 2 }] } : {}),
                })
              }
              options={actions}
              error={wrong(`${at}/${i}/action`)}
            />
            {e.action === "use_rule" && (
              <OtherRule of={e.rule_id ?? ""} set={(rule_id) => put(i, { ...e, rule_id })} error={wrong(`${at}/${i}/rule_id`)} not={rule} />
            )}
          </div>
          {(e.action === "add" || e.action === "replace") && (
            <Resolvers label={text.people} of={e.to ?? []} set={(to) => put(i, { ...e, to })} at={`${at}/${i}/to`} wrong={wrong} />
          )}
          <div>
            <Button tone="quiet" onClick={() => set(of.filter((_, j) => j !== i))}>
              {text.removeEscalation}
            </Button>
          </div>
        </div>
      ))}
      <div>
        <Button tone="quiet" onClick={() => set([...of, { after: "P2D", action: "add", to: [{ kind: "manager", level: 2 }] }])}>
          <Plus aria-hidden size={14} /> {text.escalation}
        </Button>
      </div>
    </div>
  );
}
