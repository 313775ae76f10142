import { useQueries } from "@tanstack/react-query";
import * as text from "#text/approvals";
import { ask } from "../../api/client";
import { durationText } from "../../kit/duration";
import { Note } from "../../kit/kit";
import { type Branch, type Escalation, namesSeveral, type Resolver, resolverWords, type Stage } from "./model";
import { ApprovalPath, type ApprovalStep } from "./path";

/** A branch of a rule as a path, as it is written. */
export function BranchDiagram({ of, label }: { of: Branch; label: string }) {
  const names = useNames(of.outcome.stages ?? []);
  const o = of.outcome;
  if (o.kind === "auto_approve") return <Note tone="ok">{text.approvedWithoutApprovalStepsReason(o.reason)}</Note>;
  if (o.kind === "auto_reject") return <Note tone="bad">{text.rejectedReason(o.reason)}</Note>;
  if (o.kind === "use_rule") return <Note>{text.anotherApprovalRuleApplies}</Note>;
  return <ApprovalPath of={(o.stages ?? []).map((s) => stepOf(s, names))} label={label} end={<strong>{text.access}</strong>} />;
}

function stepOf(s: Stage, names: (id: string) => string): ApprovalStep {
  const approver = (r: Resolver) => ({ words: resolverWords(r, names), several: namesSeveral(r) });
  const notes = [
    s.wait ? text.startsAfterAWait : "",
    s.respond_within ? text.answerWithin(durationText(s.respond_within)) : "",
    s.reminders?.length ? text.remindersAreSent(s.reminders.length) : "",
    ...(s.escalation ?? []).map((e) => escalationText(e, names)),
  ].filter(Boolean);
  return {
    name: s.name,
    note: notes.length ? notes.map((n) => <div key={n}>{n}</div>) : undefined,
    groups: s.groups.map((g) => ({
      needed: g.mode === "all" ? g.approvers.length : g.mode === "quorum" ? (g.quorum ?? 1) : 1,
      approvers: g.approvers.map(approver),
    })),
  };
}

const escalationText = (e: Escalation, names: (id: string) => string): string =>
  text.escalationAfter[e.action]?.(
    durationText(e.after),
    (e.to ?? []).map((r) => resolverWords(r, names)),
  ) ?? "";

/** Looks up the names of the people, roles and on-call schedules that the steps refer to by ID. */
function useNames(stages: Stage[]): (id: string) => string {
  const all = stages.flatMap((s) => [...s.groups.flatMap((g) => g.approvers), ...(s.escalation ?? []).flatMap((e) => e.to ?? [])]);
  const paths = [
    ...new Set(
      all.flatMap((r) =>
        r.identity_id
          ? [`/identities/${r.identity_id}`]
          : r.role_id
            ? [`/entitlements/roles/${r.role_id}`]
            : r.schedule_id
              ? [`/approval-rules/on-call/${r.schedule_id}`]
              : [],
      ),
    ),
  ];
  const found = useQueries({
    queries: paths.map((path) => ({
      queryKey: [path, {}],
      queryFn: ({ signal }: { signal: AbortSignal }) => ask<{ display_name?: string; name?: string }>("GET", path, { signal }),
    })),
  });
  const names = new Map(paths.map((p, i) => [p.split("/").at(-1) ?? "", found[i]?.data?.display_name || found[i]?.data?.name || ""]));
  return (id) => names.get(id) ?? "";
}
