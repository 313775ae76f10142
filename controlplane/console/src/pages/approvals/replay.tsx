import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { count, number } from "../../kit/count";
import { Bar } from "../../kit/elements";
import { SelectField } from "../../kit/form";
import { Button, Note, Part, Problems, Table, Text } from "../../kit/kit";

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
    <Part title="Replay past requests" lead="Shows how past requests would have been decided under this rule. Nothing is changed.">
      <div className="card padded stack" data-reads="">
        <div className="row rule-replay">
          <SelectField
            label="Requests of the last"
            value={days}
            set={setDays}
            options={[
              ["7", "7 days"],
              ["30", "30 days"],
              ["90", "90 days"],
              ["365", "year"],
            ]}
          />
          <Button reads disabled={told.busy} onClick={() => void go()}>
            {told.busy ? "Replaying…" : "Replay"}
          </Button>
        </div>
        <div aria-live="polite" className="stack tight">
          <Problems of={told.error} />
          {told.of && <Told of={told.of} />}
        </div>
      </div>
    </Part>
  );
}

function Told({ of }: { of: Replayed }) {
  if (of.items_looked_at === 0) return <p className="muted">No requests in this period.</p>;
  return (
    <>
      <p className="small">
        {count(of.items_looked_at, "requested item")}, {number(of.items_under_rule)} of them under this rule before or now.{" "}
        <strong>{number(of.different)}</strong> would follow different steps.{of.limited && " Only the latest 5,000 were replayed."}
      </p>
      <Bar
        label="Differences"
        of={[
          { words: "no difference", value: of.same, tone: 0 },
          { words: "other approvers", value: of.approvers_differ, tone: 1 },
          { words: "other steps", value: of.stages_differ, tone: 2 },
          { words: "other outcome", value: of.outcome_differs, tone: 5 },
        ]}
      />
      <p className="small muted">
        {of.approvers_differ} with other approvers · {of.stages_differ} with other steps · {of.outcome_differs} with another outcome
      </p>
      {of.would_be_blocked > 0 && <Note tone="bad">{count(of.would_be_blocked, "item", "items")} would have no approver.</Note>}
      {of.items.length > 0 && (
        <Table label="Differences">
          <thead>
            <tr>
              <th scope="col">Request</th>
              <th scope="col">For</th>
              <th scope="col">Item</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {of.items.map((i) => (
              <tr key={i.item_id}>
                <td>
                  <Link to={"/requests/$id" as never} params={{ id: i.request_id } as never}>
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
  if (w.blocked) return `${w.rule_name}: no approver found`;
  if (w.outcome !== "chain") return `${w.rule_name}: ${w.outcome === "auto_approve" ? "approved without approval steps" : "refused"}`;
  return `${w.rule_name}: ${w.stages.map((s, i) => `${s} (${(w.approvers[i] ?? []).join(", ")})`).join(", then ")}`;
}
