import * as text from "#text/dashboard";
import type { Of } from "../../api/types";

type Finding = { trend: Of<"DashboardFinding">["trend"] | null };

const pages: Record<string, { to: string; search: Record<string, string> }> = {
  writes_stopped: { to: "/connectors", search: { health: "stopped" } },
  leaver_accounts_enabled: { to: "/accounts", search: { orphaned: "true", orphan_reason: "owner_deactivated,owner_archived" } },
  reading_failed: { to: "/connectors", search: { failing: "true" } },
  held_runs: { to: "/inbox", search: { kind: "sync_hold" } },
  provisioning_failed: { to: "/provisioning", search: { state: "failed" } },
  provisioning_stuck: { to: "/provisioning", search: { state: "retrying" } },
  overdue_tasks: { to: "/inbox", search: { due: "overdue" } },
  sod_violations: { to: "/violations", search: { state: "open" } },
  requirement_gaps: { to: "/inbox", search: { kind: "requirement_gap", assigned: "all" } },
  blind_policies: { to: "/inbox", search: { kind: "blind_policy" } },
  approvers_without_sign_in: { to: "/people", search: { approver_without_sign_in: "true" } },
  held_sign_in_rules: { to: "/settings/sign-in-rules", search: {} },
  unmanaged_grants: { to: "/inbox", search: { kind: "native_grant" } },
  orphan_accounts: { to: "/accounts", search: { orphaned: "true", orphan_reason: "no_owner,owner_unresolved" } },
  unowned_entitlements: { to: "/access", search: { owned: "false" } },
  high_risk_grants: { to: "/access", search: { risk_level: "high,critical" } },
  rejected_addresses: { to: "/settings/notifications", search: { marked: "true" } },
  leaving_soon: { to: "/people", search: { status: "notice" } },
};

/** The page that an action of a finding opens. */
export const actionOf = (kind: string) => pages[kind] ?? { to: "/inbox", search: {} };

/** How a count has changed, over seven days where that was counted, otherwise over thirty; undefined without an earlier count. */
export function trendOf({ trend }: Finding): { change: number; words: string } | undefined {
  const seven = trend?.days_7;
  const change = seven ?? trend?.days_30;
  if (change === null || change === undefined) return undefined;
  const days = seven === null || seven === undefined ? 30 : 7;
  if (change === 0) return { change, words: text.unchangedInDaysDays(days) };
  return {
    change,
    words:
      change > 0
        ? text.absMoreInDaysDays(Math.abs(change).toLocaleString("en"), days)
        : text.absFewerInDaysDays(Math.abs(change).toLocaleString("en"), days),
  };
}
