import { Plus, X } from "lucide-react";
import * as text from "#text/approvals";
import { SelectField, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { ConditionGroup } from "../policies/condition";
import { asGroup } from "../policies/language";
import { BranchDiagram } from "./branchdiagram";
import { type Branch, newStage, type Outcome, type Stage } from "./model";
import { OtherRule, type ProblemLookup } from "./resolvers";
import { StageEditor } from "./stage";

type Props = {
  of: Branch;
  set: (b: Branch) => void;
  drop: (() => void) | undefined;
  n: number;
  last: boolean;
  wrong: ProblemLookup;
  at: string;
  rule?: string | undefined;
};

/** One branch of a rule: for whom and what it is, and whom it asks; its path is drawn above its stages. */
export function BranchEditor({ of: b, set, drop, n, last, wrong, at, rule }: Props) {
  const o = b.outcome;
  const out = (change: Partial<Outcome>) => set({ ...b, outcome: { ...o, ...change } });
  const kind = (k: Outcome["kind"]) =>
    set({
      ...b,
      outcome:
        k === "chain"
          ? { kind: k, stages: o.stages?.length ? o.stages : [newStage()] }
          : { kind: k, ...(k === "use_rule" ? {} : { reason: o.reason ?? "" }) },
    });
  const clause: ProblemLookup = (p) => ["", "/field", "/op", "/value"].map((m) => wrong(`${at}/when${p}${m}`)).find(Boolean);
  const words = last ? (n === 1 ? text.always : text.otherwise) : text.branchN(n);
  return (
    <section className="card padded stack rule-branch" aria-label={words}>
      <div className="row between">
        <h3>{words}</h3>
        {drop && (
          <Button tone="quiet" aria-label={text.removeWords(words)} onClick={drop}>
            <X aria-hidden size={14} /> {text.remove}
          </Button>
        )}
      </div>
      {!last && (
        <div className="stack tight">
          <span className="field-label">{text.when}</span>
          <ConditionGroup of={asGroup(b.when)} set={(when) => set({ ...b, when })} about="requests" wrong={clause} />
          {wrong(`${at}/when`) && <small className="bad">{wrong(`${at}/when`)}</small>}
        </div>
      )}
      <SelectField
        label={text.thenLabel}
        value={o.kind}
        set={kind}
        options={[
          ["chain", text.requireApproval],
          ["auto_approve", text.approveWithoutApprovalSteps],
          ["auto_reject", text.reject],
          ["use_rule", text.useAnotherApprovalRule],
        ]}
        error={wrong(`${at}/outcome/kind`)}
      />
      {(o.kind === "auto_approve" || o.kind === "auto_reject") && (
        <TextField
          label={text.reason}
          hint={text.shownToTheRequester}
          value={o.reason ?? ""}
          set={(reason) => out({ reason })}
          error={wrong(`${at}/outcome/reason`)}
          required
        />
      )}
      {o.kind === "use_rule" && (
        <OtherRule of={o.rule_id ?? ""} set={(rule_id) => out({ rule_id })} error={wrong(`${at}/outcome/rule_id`)} not={rule} />
      )}
      {o.kind === "chain" && (
        <>
          <BranchDiagram of={b} label={text.stepsOfWords(words)} />
          <Stages of={o.stages ?? []} set={(stages) => out({ stages })} at={`${at}/outcome/stages`} wrong={wrong} rule={rule} />
        </>
      )}
    </section>
  );
}

type StagesProps = { of: Stage[]; set: (s: Stage[]) => void; at: string; wrong: ProblemLookup; rule?: string | undefined };

function Stages({ of, set, at, wrong, rule }: StagesProps) {
  const move = (i: number, by: number) => {
    const next = [...of];
    const [stage] = next.splice(i, 1);
    if (stage) next.splice(i + by, 0, stage);
    set(next);
  };
  return (
    <>
      {wrong(at) && <small className="bad">{wrong(at)}</small>}
      {of.map((s, i) => (
        <StageEditor
          // biome-ignore lint/suspicious/noArrayIndexKey: stages have no other name than their place
          key={i}
          of={s}
          set={(x) => set(of.map((y, j) => (j === i ? x : y)))}
          drop={() => set(of.filter((_, j) => j !== i))}
          move={(by) => move(i, by)}
          n={i + 1}
          last={i === of.length - 1}
          at={`${at}/${i}`}
          wrong={wrong}
          rule={rule}
        />
      ))}
      <div>
        <Button onClick={() => set([...of, newStage(of.length ? text.owner : text.manager, of.length ? "resource_owner" : "manager")])}>
          <Plus aria-hidden size={14} /> {text.step}
        </Button>
      </div>
    </>
  );
}
