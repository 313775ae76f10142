import { useState } from "react";
import * as text from "#text/approvals";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { Bar } from "../../kit/elements";
import { SelectField } from "../../kit/form";
import { Button, Note, Part, Problems, Table, Text } from "../../kit/kit";
import { Link } from "../../kit/link";

type Replayed = Of<"ApprovalReplayed">;

/** What past requests would have gone through under a rule, in the organisation of today. */
export function Replay({ body, id }: { body?: (() => object) | undefined; id?: string | undefined }) {
  const [days, setDays] = useState("30");
  const [told, setTold] = useState<{ of?: Replayed; error?: unknown; busy?: boolean }>({});
  const go = async () => {
    setTold({ busy: true });
    try {
      const from = new Date(Date.now() - Number(days) * 86_400_000).toISOString();
      const of = await ask<Replayed>("POST", "/approval-rules/replay", {
        body: { from, ...(body ? { rule: body() } : {}), ...(id ? { rule_id: id } : {}) },
      });
      setTold({ of });
    } catch (error) {
      setTold({ error });
    }
  };
  return (
    <Part title={text.replayPastRequests} lead={text.showsHowPastRequestsWouldHave}>
      <div className="card padded stack" data-reads="">
        <div className="row rule-replay">
          <SelectField
            label={text.requestsOfTheLast}
            value={days}
            set={setDays}
            options={[
              ["7", text.n7Days],
              ["30", text.n30Days],
              ["90", text.n90Days],
              ["365", text.year],
            ]}
          />
          <Button reads disabled={told.busy} onClick={() => void go()}>
            {told.busy ? text.replaying : text.replay}
          </Button>
        </div>
        <div aria-live="polite" className="stack tight">
          <Problems of={told.error} />
          {told.of && <ReplayResult of={told.of} />}
        </div>
      </div>
    </Part>
  );
}

function ReplayResult({ of }: { of: Replayed }) {
  if (of.items_looked_at === 0) return <p className="muted">{text.noRequestsInThisPeriod}</p>;
  return (
    <>
      <p className="small">
        {text.requestedItemsItemsUnderRuleOf(of.items_looked_at, number(of.items_under_rule), <strong>{number(of.different)}</strong>)}
        {of.limited && <> {text.onlyTheLatestWereReplayed}</>}
      </p>
      <Bar
        label={text.differences}
        of={[
          { words: text.noDifference, value: of.same, tone: 0 },
          { words: text.otherApprovers, value: of.approvers_differ, tone: 1 },
          { words: text.otherSteps, value: of.stages_differ, tone: 2 },
          { words: text.otherOutcome, value: of.outcome_differs, tone: 5 },
        ]}
      />
      <p className="small muted">
        {text.approversDifferWithOtherApproversStages(of.approvers_differ, of.stages_differ, of.outcome_differs)}
      </p>
      {of.would_be_blocked > 0 && <Note tone="bad">{text.itemsWouldHaveNoApprover(of.would_be_blocked)}</Note>}
      {of.items.length > 0 && (
        <Table label={text.differences}>
          <thead>
            <tr>
              <th scope="col">{text.request}</th>
              <th scope="col">{text.forLabel}</th>
              <th scope="col">{text.item}</th>
              <th scope="col">{text.before}</th>
              <th scope="col">{text.after}</th>
            </tr>
          </thead>
          <tbody>
            {of.items.map((i) => (
              <tr key={i.item_id}>
                <td>
                  <Link to="/requests/$id" params={{ id: i.request_id }}>
                    {i.number}
                  </Link>
                </td>
                <td>
                  <Text of={i.requested_for.display} />
                </td>
                <td>
                  <Text of={i.display} />
                </td>
                <td className="wide small">{way(i.before)}</td>
                <td className="wide small">{way(i.after)}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}

function way(w: Of<"ApprovalReplayedWay">): string {
  if (w.blocked) return text.ruleNoApprover(w.rule_name);
  if (w.outcome !== "chain") return w.outcome === "auto_approve" ? text.ruleApproved(w.rule_name) : text.ruleRefused(w.rule_name);
  return text.ruleSteps(
    w.rule_name,
    w.stages.map((s, i) => `${s} (${(w.approvers[i] ?? []).join(", ")})`),
  );
}
