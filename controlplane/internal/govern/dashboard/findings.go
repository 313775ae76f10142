package dashboard

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/requirement"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// DashboardFinding is something that needs action, with how much of it there is.
type DashboardFinding struct {
	// Stable name of the kind of finding.
	Kind string `json:"kind" example:"leaver_accounts_enabled"`
	// Title of the finding.
	Label string `json:"label" example:"Accounts of leavers that still work"`
	// Number of objects with the finding that the caller can list.
	Count int64 `json:"count"`
	// Severity of the finding. none: there is nothing to do.
	Severity string `json:"severity" enum:"critical,high,medium,low,none"`
	// For those who see the whole tenant; null for others, and before the first day is over.
	Trend *DashboardTrend `json:"trend"`
	// Recommended action.
	Action DashboardAction `json:"action"`
}

// DashboardTrend compares a count with earlier days. A day that was not counted is null.
type DashboardTrend struct {
	// The change since seven days ago.
	Days7 *int64 `json:"days_7"`
	// The change since thirty days ago.
	Days30 *int64 `json:"days_30"`
}

// DashboardAction is the one thing to do about a finding.
type DashboardAction struct {
	// Label of the action, for a button.
	Label string `json:"label" example:"Disable accounts"`
	// The list to work in: a path of the API without its prefix.
	Target string `json:"target" example:"/accounts?orphan_reason=owner_deactivated"`
}

// finding is how one kind is counted, for the transaction's viewer.
type finding struct {
	// kind is the stable name, label the words, action and target what to do about it and where.
	kind, label, severity, action, target string
	all                                   bool // of systems: for those who see the whole tenant
	sql                                   func(v viewer.Viewer) string
}

// listed counts the rows of a table that the viewer may list.
func listed(table, alias, rest string) func(viewer.Viewer) string {
	return func(v viewer.Viewer) string {
		return `select count(*) from ` + listing.Listed(v, table, alias) + ` ` + rest
	}
}

// shownAs are the labels of actions that only administrators can take, for those who can only look.
var shownAs = map[string]string{
	"writes_stopped":            "Show connectors",
	"leaver_accounts_enabled":   "Show accounts",
	"held_runs":                 "Show held runs",
	"sod_violations":            "Show violations",
	"requirement_gaps":          "Show gaps",
	"blind_policies":            "Show policies",
	"provisioning_failed":       "Show failures",
	"unmanaged_grants":          "Show access",
	"approvers_without_sign_in": "Show people",
	"held_sign_in_rules":        "Show rules",
	"orphan_accounts":           "Show accounts",
	"unowned_entitlements":      "Show entitlements",
	"rejected_addresses":        "Show addresses",
}

// actionFor is the label of the finding's action for a viewer: what they cannot do is not offered to them.
func (f finding) actionFor(v viewer.Viewer) string {
	if label, ok := shownAs[f.kind]; ok && !v.HasAny(viewer.Admin) {
		return label
	}
	return f.action
}

// fixed is a statement that is the same for all viewers.
func fixed(sql string) func(viewer.Viewer) string { return func(viewer.Viewer) string { return sql } }

// findings are all kinds, the most serious first.
func findings() []finding {
	return []finding{
		{
			"writes_stopped",
			"Systems to which nothing is written",
			"critical",
			"Resume writes",
			"/connectors?health=stopped",
			true,
			fixed(
				`select count(*) from connector c where c.deleted_at is null
					and connector_health(c.id) ->> 'overall' = 'stopped'`,
			),
		},
		{
			"leaver_accounts_enabled",
			"Accounts of leavers that still work",
			"critical",
			"Disable accounts",
			"/accounts?orphaned=true&orphan_reason=owner_deactivated,owner_archived",
			false,
			func(v viewer.Viewer) string { return account.CountOfLeavers(v) },
		},
		{"reading_failed", "Systems that cannot be read", "high", "Show connectors", "/connectors?failing=true", true,
			fixed(`select count(*) from connector c where c.deleted_at is null
			          and connector_health(c.id) #>> '{reading,state}' in ('failing', 'degraded', 'quarantined')`)},
		{
			"held_runs",
			"Sync runs that wait for a decision",
			"high",
			"Review held runs",
			"/decision-tasks?assigned=all&kind=sync_hold",
			true,
			fixed(
				`select count(*) from sync_run r join connector c on c.tenant_id = r.tenant_id
			            and c.id = r.connector_id and c.deleted_at is null
			        where r.status = 'held'`,
			),
		},
		{
			"provisioning_failed",
			"Changes of systems that failed",
			"high",
			"Review failures",
			"/accounts/provisioning-tasks?state=failed",
			true,
			fixed(`select count(*) from provisioning_task t where t.state = 'failed' and ` + taskview.ConnectedSQL),
		},
		{
			"provisioning_stuck",
			"Changes that have waited for more than a day",
			"high",
			"Show waiting changes",
			"/accounts/provisioning-tasks?state=retrying",
			true,
			fixed(
				`select count(*) from provisioning_task t where t.state in ('queued', 'retrying', 'verifying')
					and t.created_at < now() - interval '1 day' and ` + taskview.ConnectedSQL,
			),
		},
		{
			"overdue_tasks",
			"Decisions that are overdue",
			"high",
			"Show overdue tasks",
			"/decision-tasks?assigned=all&overdue=true",
			true,
			fixed(`select count(*) from decision_task t where t.state in ('open', 'claimed') and t.due_at < now()`),
		},
		{
			"sod_violations",
			"Violations of separation of duties",
			"high",
			"Review violations",
			"/policies/violations?state=open",
			false,
			violation.CountOpenSQL,
		},
		{
			"blind_policies",
			"Separation-of-duties policies that find no violations",
			"high",
			"Mend policies",
			"/policies/separation-of-duties?blind=true&enabled=true&mode=shadow,enforce",
			true,
			fixed(`select count(*) from (` + separationpolicy.BlindSQL + `) b`),
		},
		{
			"requirement_gaps",
			"People who lack access or training that policies require",
			"medium",
			"Review gaps",
			"/policies/requirement-gaps?state=open",
			false,
			requirement.CountOpenSQL,
		},
		{
			"approvers_without_sign_in",
			"Managers and owners who cannot sign in",
			"medium",
			"Give sign-in",
			"/identities?approver_without_sign_in=true",
			true,
			fixed(`select count(*) from approvers_without_sign_in()`),
		},
		{
			"held_sign_in_rules",
			"Sign-in rules that wait for a decision",
			"medium",
			"Review rules",
			"/settings/sign-in-rules?held=true",
			true,
			fixed(`select count(*) from sign_in_rule r where r.held_at is not null`),
		},
		{
			"unmanaged_grants",
			"Access given outside Grantwright",
			"medium",
			"Review access",
			"/entitlements/grants?review_state=unmanaged",
			true,
			fixed(`select count(*) from unmanaged_grants()`),
		},
		{
			"orphan_accounts",
			"Accounts without an owner",
			"medium",
			"Assign owners",
			"/accounts?orphaned=true&orphan_reason=no_owner,owner_unresolved",
			false,
			func(v viewer.Viewer) string { return account.CountWithoutOwner(v) },
		},
		{
			"unowned_entitlements",
			"Entitlements without an owner",
			"medium",
			"Assign owners",
			"/entitlements?owned=false",
			false,
			listed("entitlement", "e", `where e.removed_at is null and e.owner_ids = '{}'`),
		},
		{
			"high_risk_grants",
			"Grants of high-risk access",
			"medium",
			"Show access",
			"/entitlements?risk_level=high,critical",
			false,
			listed("access_grant", "g", `where g.status = 'active' and g.entitlement_id in
			      (select e.id from entitlement e where e.removed_at is null
			          and e.risk_level in ('high', 'critical'))`),
		},
		{
			"rejected_addresses",
			"Mail addresses that were rejected",
			"medium",
			"Review addresses",
			"/settings/notifications/deliveries?marked=true",
			true,
			fixed(`select count(*) from rejected_addresses()`),
		},
		{"leaving_soon", "People who leave soon", "low", "Show people", "/identities?status=notice", false,
			listed("identity", "i", `where i.status = 'notice'`)},
	}
}

// readFindings counts what the viewer may list, the most serious findings first and those with nothing to do last.
func readFindings(ctx context.Context, tx *pg.Tx, now time.Time) ([]DashboardFinding, error) {
	wide := tx.Viewer.HasAny(viewer.Admin, viewer.Auditor)
	kinds := slices.DeleteFunc(findings(), func(f finding) bool { return f.all && !wide })
	counts, err := count(ctx, tx, kinds)
	if err != nil {
		return nil, err
	}
	trends := map[string]*DashboardTrend{}
	if wide {
		if trends, err = readTrends(ctx, tx, counts, now); err != nil {
			return nil, err
		}
	}
	out := make([]DashboardFinding, len(kinds))
	for i, f := range kinds {
		out[i] = DashboardFinding{
			Kind:     f.kind,
			Label:    f.label,
			Count:    counts[f.kind],
			Severity: f.severity,
			Trend:    trends[f.kind],
			Action:   DashboardAction{f.actionFor(tx.Viewer), f.target},
		}
		if out[i].Count == 0 {
			out[i].Severity = "none"
		}
	}
	slices.SortStableFunc(out, func(a, b DashboardFinding) int { return rank(b.Severity) - rank(a.Severity) })
	return out, nil
}

// rank orders severities, from none to critical.
func rank(severity string) int {
	return slices.Index([]string{"none", "low", "medium", "high", "critical"}, severity)
}

// count counts kinds in one statement.
func count(ctx context.Context, tx *pg.Tx, kinds []finding) (map[string]int64, error) {
	parts := make([]string, len(kinds))
	for i, f := range kinds {
		parts[i] = `select '` + f.kind + `', (` + f.sql(tx.Viewer) + `)`
	}
	counts := map[string]int64{}
	var kind string
	var n int64
	if err := pg.Each(
		ctx,
		tx,
		"count findings",
		[]any{&kind, &n},
		func() error { counts[kind] = n; return nil },
		strings.Join(parts, " union all "),
	); err != nil {
		return nil, err
	}
	return counts, nil
}

// readTrends compares counts with those of seven and of thirty days ago. Where that very day was not counted, the last
// one of the three days before it stands for it.
func readTrends(
	ctx context.Context,
	tx *pg.Tx,
	counts map[string]int64,
	now time.Time,
) (map[string]*DashboardTrend, error) {
	const sql = `
		select distinct on (d.kind, ago) d.kind, ago, d.count
		  from unnest(array[7, 30]) ago
		  join finding_day d on d.day between $1::date - ago - 3 and $1::date - ago
		 where d.tenant_id = current_tenant()
		 order by d.kind, ago, d.day desc`
	trends := map[string]*DashboardTrend{}
	var kind string
	var ago int
	var before int64
	if err := pg.Each(ctx, tx, "read earlier findings", []any{&kind, &ago, &before}, func() error {
		if trends[kind] == nil {
			trends[kind] = &DashboardTrend{}
		}
		change := counts[kind] - before
		if ago == 7 {
			trends[kind].Days7 = &change
		} else {
			trends[kind].Days30 = &change
		}
		return nil
	}, sql, now.UTC()); err != nil {
		return nil, err
	}
	return trends, nil
}
