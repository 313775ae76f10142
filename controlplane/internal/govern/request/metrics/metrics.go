package metrics

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// AccessRequestMetrics are figures of the requests of a period.
type AccessRequestMetrics struct {
	// Start of the period. Requests that were submitted at this time count.
	Since time.Time `json:"since"`
	// End of the period. Requests that were submitted at this time do not count.
	Until time.Time `json:"until"`
	// Number of requests of all kinds that were submitted in the period.
	Requests int64 `json:"requests"`
	// Of these, those that still wait for an answer.
	Open int64 `json:"open"`
	// Number of requests in each status. A status without requests is absent.
	ByStatus map[string]int64 `json:"by_status" nullable:"false"`
	// Of all items together.
	All AccessRequestFigures `json:"all"`
	// The rules with the most items first.
	ByRule []AccessRequestRuleFigures `json:"by_rule" nullable:"false"`
	// The 100 things that were asked for most.
	ByItem []AccessRequestItemFigures `json:"by_item" nullable:"false"`
}

// AccessRequestFigures are figures of some items.
type AccessRequestFigures struct {
	// Number of items in requests for new access and for extensions.
	Items int64 `json:"items" db:"items"`
	// Number of items that were approved.
	Approved int64 `json:"approved" db:"approved"`
	// Number of items that were rejected.
	Rejected int64 `json:"rejected" db:"rejected"`
	// Number of items that expired without a decision.
	Expired int64 `json:"expired" db:"expired"`
	// Number of items that were withdrawn or canceled.
	Withdrawn int64 `json:"withdrawn" db:"withdrawn"`
	// Decided by a rule, without an approver.
	Automatic int64 `json:"automatic" db:"automatic"`
	// Number of items that were approved as emergency access.
	Emergencies int64 `json:"emergencies" db:"emergencies"`
	// Of those that people decided, or let expire: the share that was not approved, from 0 to 1.
	RejectionRate float64 `json:"rejection_rate" db:"rejection_rate"`
	// Of those that people approved; null: none.
	MedianSeconds *float64 `json:"median_seconds_to_approve" db:"median"`
	// 90th percentile of the seconds from submission to approval, of the items that people approved. Null: none.
	P90Seconds *float64 `json:"p90_seconds_to_approve" db:"p90"`
}

// AccessRequestRuleFigures are figures of the items of one rule.
type AccessRequestRuleFigures struct {
	// Empty: the rule that comes with the product.
	RuleID string `json:"rule_id" db:"rule_id"`
	// Display name of the approval rule.
	Name string `json:"name" db:"name"`
	AccessRequestFigures
}

// AccessRequestItemFigures are figures of the items that ask for one thing.
type AccessRequestItemFigures struct {
	// ID of the requested role. Null for an entitlement.
	RoleID *string `json:"role_id" db:"role_id"`
	// ID of the requested entitlement. Null for a role.
	EntitlementID *string `json:"entitlement_id" db:"entitlement_id"`
	// Display name of the requested role or entitlement.
	Display string `json:"display" db:"display"`
	AccessRequestFigures
}

// figures are the columns of AccessRequestFigures over items i.
const figures = `
	count(*) as items,
	count(*) filter (where i.decision = 'approved') as approved,
	count(*) filter (where i.decision = 'rejected') as rejected,
	count(*) filter (where i.decision = 'expired') as expired,
	count(*) filter (where i.decision = 'cancelled') as withdrawn,
	count(*) filter (where i.decision_code in ('approved_by_rule', 'rejected_by_rule')) as automatic,
	count(*) filter (where i.decision_code = 'emergency') as emergencies,
	coalesce(count(*) filter (where i.decision in ('rejected', 'expired') and by_people)::float8
	    / nullif(count(*) filter (where i.decision in ('approved', 'rejected', 'expired') and by_people), 0),
	      0) as rejection_rate,
	percentile_cont(0.5) within group (order by took) filter (where i.decision = 'approved' and by_people) as median,
	percentile_cont(0.9) within group (order by took) filter (where i.decision = 'approved' and by_people) as p90`

const ofPeriod = `
	  from (select i.*, q.submitted_at, extract(epoch from i.decided_at - q.submitted_at)::float8 as took,
	               coalesce(i.decision_code, '') not in ('approved_by_rule', 'rejected_by_rule',
	                   'emergency') as by_people
	          from access_request q
	          join access_request_item i on i.request_id = q.id
	         where q.submitted_at >= @since
	           and q.submitted_at < @until
	           and q.kind in ('grant', 'extend')) i`

// Read counts the requests that were submitted from since until before until.
func Read(ctx context.Context, tx *pg.Tx, since, until time.Time) (AccessRequestMetrics, error) {
	m := AccessRequestMetrics{Since: since, Until: until, ByStatus: map[string]int64{}}
	args := pgx.NamedArgs{"since": since, "until": until}
	if err := m.count(ctx, tx, args); err != nil {
		return m, err
	}
	all, err := collect[AccessRequestFigures](ctx, tx, `select `+figures+ofPeriod, args)
	if err != nil {
		return m, err
	}
	m.All = all[0]
	m.ByRule, err = collect[AccessRequestRuleFigures](
		ctx,
		tx,
		`select coalesce(i.plan -> 'rule' ->> 'id', '') as rule_id,
		coalesce(max(i.plan -> 'rule' ->> 'name'), '') as name, `+figures+ofPeriod+` group by 1 order by count(*)
			desc, 1 limit 100`,
		args,
	)
	if err != nil {
		return m, err
	}
	m.ByItem, err = collect[AccessRequestItemFigures](
		ctx,
		tx,
		`select i.role_id::text, i.entitlement_id::text, max(i.display) as display, `+figures+ofPeriod+`
		group by i.role_id, i.entitlement_id order by count(*) desc, max(i.display), 1, 2 limit 100`,
		args,
	)
	return m, err
}

// count counts the requests by status. Open are those whose status is not a last one.
func (m *AccessRequestMetrics) count(ctx context.Context, tx *pg.Tx, args pgx.NamedArgs) error {
	const sql = `
		select q.status, count(*)
		  from access_request q
		 where q.submitted_at >= @since
		   and q.submitted_at < @until
		 group by q.status`
	var status string
	var n int64
	return pg.Each(ctx, tx, "count requests", []any{&status, &n}, func() error {
		m.ByStatus[status] = n
		m.Requests += n
		if (accessrequest.AccessRequestItem{Status: status}).IsOpen() {
			m.Open += n
		}
		return nil
	}, sql, args)
}

// collect runs a query and scans each row into a T by the names of its columns.
func collect[T any](ctx context.Context, tx *pg.Tx, sql string, args pgx.NamedArgs) ([]T, error) {
	return pg.All[T](ctx, tx, "figures of requests", sql, args)
}
