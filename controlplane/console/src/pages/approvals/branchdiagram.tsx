import { useQueries } from "@tanstack/react-query";
import * as text from "#text/approvals";
import { ask } from "../../api/client";
import { durationText } from "../../kit/duration";
import { Note } from "../../kit/kit";
import { actions, type Branch, type Resolver, resolverWords, type Stage } from "./model";
import { ApprovalPath, type Station } from "./path";

/** A branch of a rule as a path, as it is written. */
export function BranchDiagram({ of, label }: { of: Branch; label: string }) {
  const names = useNames(of.outcome.stages ?? []);
  const o = of.outcome;
  if (o.kind === "auto_approve") return <Note tone="ok">{text.approvedWithoutApprovalStepsReason(o.reason)}</Note>;
  if (o.kind === "auto_reject") return <Note tone="bad">{text.rejectedReason(o.reason)}</Note>;
  if (o.kind === "use_rule") return <Note>{text.anotherApprovalRuleApplies}</Note>;
  return <ApprovalPath of={(o.stages ?? []).map((s) => stationOf(s, names))} label={label} end={<strong>{text.access}</strong>} />;
}

function stationOf(s: Stage, names: (id: string) => string): Station {
  const seat = (r: Resolver) => ({ words: resolverWords(r, names) });
  const notes = [
    s.wait ? text.afterAWait : "",
    s.respond_within ? text.withinRespondWithin(durationText(s.respond_within)) : "",
    s.reminders?.length ? text.reminders(s.reminders.length) : "",
    ...(s.escalation ?? []).map((e) =>
      text.afterAfterFind(
        durationText(e.after),
        (actions.find(([a]) => a === e.action)?.[1] ?? e.action).replace(
          "these people",
          (e.to ?? []).map((r) => resolverWords(r, names).toLowerCase()).join(" and "),
        ),
      ),
    ),
  ].filter(Boolean);
  return {
    name: s.name,
    note: notes.length ? notes.join("; ") : undefined,
    groups: s.groups.map((g) => ({
      needed: g.mode === "all" ? g.approvers.length : g.mode === "quorum" ? (g.quorum ?? 1) : 1,
      seats: g.approvers.map(seat),
    })),
  };
}

/** The names of whom stages name by id. */
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
