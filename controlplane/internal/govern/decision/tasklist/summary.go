package tasklist

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// DecisionSummary says what waits for decisions.
type DecisionSummary struct {
	// Those that are claimed too.
	Open int64 `json:"open" db:"open"`
	// Number of tasks that are claimed.
	Claimed int64 `json:"claimed" db:"claimed"`
	// Number of open tasks that are past their due time.
	Overdue int64 `json:"overdue" db:"overdue"`
	// Due from now to the end of the day, in the tenant's time zone.
	DueToday int64 `json:"due_today" db:"due_today"`
	// When the one was asked that waits longest.
	OldestAt *time.Time `json:"oldest_at" db:"oldest_at"`
	// By kind.
	Kinds []DecisionCount `json:"kinds" db:"kinds" nullable:"false"`
	// Numbers of open tasks by the time since their creation.
	Ageing DecisionAgeing `json:"ageing" db:"ageing"`
	// By group_key, the largest first; at most 100.
	Groups []DecisionCount `json:"groups" db:"groups" nullable:"false"`
}

// DecisionCount counts tasks that have something in common.
type DecisionCount struct {
	// Kind of the tasks, such as request_approval.
	Kind string `json:"kind"`
	// Key that the tasks of the group have in common. Absent in counts by kind.
	GroupKey string `json:"group_key,omitempty"`
	// Of a group: the title of one of its tasks.
	Title string `json:"title,omitempty"`
	// Number of open tasks. Claimed tasks count.
	Open int64 `json:"open"`
	// Number of open tasks that are past their due time.
	Overdue int64 `json:"overdue"`
	// Time the oldest open task was created.
	OldestAt time.Time `json:"oldest_at"`
}

// DecisionAgeing counts tasks by how long they have waited.
type DecisionAgeing struct {
	// Number of open tasks that were created less than 1 day ago.
	UnderOneDay int64 `json:"under_1_day"`
	// Number of open tasks that were created from 1 to less than 3 days ago.
	OneToThreeDays int64 `json:"1_to_3_days"`
	// Number of open tasks that were created from 3 to less than 7 days ago.
	ThreeToSevenDays int64 `json:"3_to_7_days"`
	// Number of open tasks that were created from 7 to less than 30 days ago.
	SevenToThirty int64 `json:"7_to_30_days"`
	// Number of open tasks that were created 30 or more days ago.
	OverThirtyDays int64 `json:"over_30_days"`
}

const summarySQL = `
	select count(*) as open,
	       count(*) filter (where x.state = 'claimed') as claimed,
	       count(*) filter (where x.due_at < @now) as overdue,
	       count(*) filter (where x.due_at >= @now and x.due_at < @tomorrow) as due_today,
	       min(x.created_at) as oldest_at,
	       (select coalesce(jsonb_agg(jsonb_build_object('kind', k.kind, 'open', k.open, 'overdue', k.overdue,
	           'oldest_at', k.oldest_at) order by k.kind), '[]')
	          from (select kind, count(*) as open, count(*) filter (where due_at < @now) as overdue,
	              min(created_at) as oldest_at
	                  from matching
	                 group by kind) k) as kinds,
	       jsonb_build_object(
	           'under_1_day', count(*) filter (where x.age < interval '1 day'),
	           '1_to_3_days', count(*) filter (where x.age >= interval '1 day' and x.age < interval '3 days'),
	           '3_to_7_days', count(*) filter (where x.age >= interval '3 days' and x.age < interval '7 days'),
	           '7_to_30_days', count(*) filter (where x.age >= interval '7 days' and x.age < interval '30 days'),
	           'over_30_days', count(*) filter (where x.age >= interval '30 days')) as ageing,
	       (select coalesce(jsonb_agg(jsonb_build_object('kind', g.kind, 'group_key', g.group_key, 'title', g.title,
	                                                     'open', g.open, 'overdue', g.overdue, 'oldest_at',
	                                                         g.oldest_at) order by g.open desc, g.group_key), '[]')
	          from (select min(kind) as kind, group_key, min(title) as title, count(*) as open,
	                       count(*) filter (where due_at < @now) as overdue, min(created_at) as oldest_at
	                  from matching
	                 where group_key is not null
	                 group by group_key
	                 order by 4 desc, 2
	                 limit 100) g) as groups
	  from matching x`

// Summarize counts the open tasks that the transaction's viewer sees as assigned says: mine, all or delegated.
func Summarize(ctx context.Context, tx *pg.Tx, assigned string, now time.Time) (sum DecisionSummary, err error) {
	l, err := rules.Find(ctx, tx)
	if err != nil {
		return sum, err
	}
	from, args := tasksOf(tx.Viewer, assigned, true)
	args["now"], args["tomorrow"] = now, endOfDay(now.In(l.Zone()))
	sql := `
		with matching as materialized (
		    select t.kind, t.group_key, t.title, t.state, t.due_at, t.created_at,
		        @now::timestamptz - t.created_at as age
		      from ` + from + `
		     where t.state in ('open', 'claimed'))` + summarySQL
	if sum, err = pg.One[DecisionSummary](ctx, tx, "count tasks", sql, args); err != nil {
		return sum, err
	}
	return sum, nil
}

// DecisionWaiting says in short what waits for the decision of one viewer.
type DecisionWaiting struct {
	// Number of open tasks that are assigned to the caller. Claimed tasks count.
	Open int64 `json:"open"`
	// Number of open tasks that are past their due time.
	Overdue int64 `json:"overdue"`
	// Due within the next 24 hours.
	DueSoon int64 `json:"due_soon"`
}

// CountWaiting counts what the list of open tasks shows to the transaction's viewer without further parameters.
func CountWaiting(ctx context.Context, tx *pg.Tx, now time.Time) (w DecisionWaiting, err error) {
	from, args := tasksOf(tx.Viewer, "mine", true)
	args["now"], args["soon"] = now, now.Add(24*time.Hour)
	sql := `
		select count(*), count(*) filter (where t.due_at < @now),
		    count(*) filter (where t.due_at >= @now and t.due_at < @soon)
		  from ` + from + `
		 where t.state in ('open', 'claimed')`
	if err := tx.QueryRow(ctx, sql, args).Scan(&w.Open, &w.Overdue, &w.DueSoon); err != nil {
		return w, fmt.Errorf("count what waits: %w", err)
	}
	return w, nil
}

// endOfDay is when the day of an instant ends, in a time zone.
func endOfDay(at time.Time) time.Time {
	y, m, d := at.Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, at.Location())
}
