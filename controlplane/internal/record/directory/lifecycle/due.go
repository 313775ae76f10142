package lifecycle

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// BatchSize bounds how many identities one transaction moves, each with an audit entry.
const BatchSize = 2000

// dueSQL finds who may have to move, each arm by an index of its own. What follows from what is written follows when
// it is written.
const dueSQL = `
	select i.id from identity i where i.status = 'pre_hire' and i.start_date <= @clock_today::date
	 union
	select i.id from identity i
	 where i.status in ('pre_hire', 'active', 'on_leave', 'notice')
	   and (i.termination_date is not null or i.last_working_at is not null)
	   and (i.last_working_at <= @clock_now::timestamptz or i.last_working_at is null
	       and i.termination_date < @clock_today::date
	        or i.status in ('active', 'on_leave')
	           and coalesce(i.last_working_at <= coalesce(@clock_notice_at::timestamptz, 'infinity'),
	               i.termination_date <= coalesce(@clock_notice_day::date, 'infinity')))
	 union
	select i.id from identity i
	 where i.status = 'active' and i.leave_from <= @clock_today::date and coalesce(i.leave_to >= @clock_today::date,
	     true)
	 union
	select i.id from identity i where i.status = 'on_leave' and i.leave_to < @clock_today::date`

// ApplyDue moves the identities whose dates have come, at most BatchSize, and audits each.
func ApplyDue(ctx context.Context, tx *pg.Tx, c rules.Clock) ([]Move, error) {
	moved, err := applyDates(ctx, tx, c, dueSQL, pgx.NamedArgs{"follow_limit": BatchSize}, "policy", false)
	if err != nil || len(moved) == 0 {
		return moved, err
	}
	return moved, recordMoves(ctx, tx, moved)
}

// Move is a state that a person left for another.
type Move struct {
	ID, Display, ExternalID, Kind, From, To string
	FromReason, ToReason                    *string
	Version                                 int
}

// ApplyDates brings states up to date with dates and standing, for the identities whose ids the query gives; the query
// may name further arguments. It is for large numbers: the caller audits them together. Rows that this transaction has
// already written keep their version.
func ApplyDates(ctx context.Context, tx *pg.Tx, source, people string, args pgx.NamedArgs) ([]Move, error) {
	c, err := ClockOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	return applyDates(ctx, tx, c, people, args, source, true)
}

// ClockOf is the transaction's own instant as the tenant's days see it.
func ClockOf(ctx context.Context, tx *pg.Tx) (c rules.Clock, err error) {
	l, err := rules.Find(ctx, tx)
	if err != nil {
		return c, err
	}
	var now time.Time
	if err := tx.QueryRow(ctx, `select now()`).Scan(&now); err != nil {
		return c, fmt.Errorf("read the clock: %w", err)
	}
	return l.Clock(now), nil
}

// applyDates moves every identity whose state differs from the one that follows from its dates. If along is set, the
// move belongs to what this transaction writes and has its time.
func applyDates(ctx context.Context, tx *pg.Tx, c rules.Clock, people string, args pgx.NamedArgs, source string,
	along bool) ([]Move, error) {
	at, step := "@clock_now::timestamptz", "1"
	if along {
		at, step = "now()", "(i.updated_at <> now())::int"
	}
	sql := `
		with due as materialized (
		    select i.id, i.status, i.status_reason, ` + rules.StateSQL + ` as state
		      from identity i
		     where i.tenant_id = current_tenant()
		       and i.id in (` + people + `)
		       and i.status <> 'archived'
		       and i.status <> ` + rules.StateSQL + `
		     order by i.id
		     limit coalesce(@follow_limit::int, 2000000000)
		       for update of i
		)
		update identity i
		   set status = d.state, status_source = @source,
		       status_reason = case when d.state = 'deactivated' then i.status_reason end,
		       status_changed_at = ` + at + `, updated_at = ` + at + `, version = i.version + ` + step + `
		  from due d
		 where i.tenant_id = current_tenant()
		   and i.id = d.id
		returning i.id::text, i.display_name as display, i.external_id, i.kind, d.status as "from", i.status as "to",
		          d.status_reason as from_reason, i.status_reason as to_reason, i.version`
	all := c.Args(args)
	if _, given := all["follow_limit"]; !given {
		all["follow_limit"] = nil
	}
	all["source"] = source
	return pg.All[Move](ctx, tx, "follow dates", sql, all)
}

// recordMoves records and publishes who moved.
func recordMoves(ctx context.Context, tx *pg.Tx, moved []Move) error {
	entries, ids := make([]audit.Entry, len(moved)), make([]string, len(moved))
	for i, m := range moved {
		ids[i] = m.ID
		entries[i] = audit.Entry{
			Action:  m.action(),
			Subject: audit.Subject{Type: "identity", ID: m.ID, Display: m.Display},
			Changes: []audit.Change{{Field: "status", From: m.From, To: m.To}},
		}
		if rules.Text(m.FromReason) != rules.Text(m.ToReason) {
			entries[i].Changes = append(
				entries[i].Changes,
				audit.Change{Field: "status_reason", From: m.FromReason, To: m.ToReason},
			)
		}
	}
	if err := audit.RecordAll(ctx, tx, entries); err != nil {
		return err
	}
	return publishMoves(ctx, tx, moved)
}

// action is the name of the audit entry for the move.
func (m Move) action() string {
	if m.To == rules.Deactivated {
		return "identity.deactivated"
	}
	return "identity.updated"
}

// publishMoves publishes an event for each move, if anyone subscribes to them.
func publishMoves(ctx context.Context, tx *pg.Tx, moved []Move) error {
	wanted, err := event.Wanted(ctx, tx, event.IdentityUpdated, event.IdentityDeactivated)
	if err != nil || !wanted {
		return err
	}
	ids, reasons := make([]string, len(moved)), make([]bool, len(moved))
	for i, m := range moved {
		ids[i], reasons[i] = m.ID, rules.Text(m.FromReason) != rules.Text(m.ToReason)
	}
	const sql = `
		select case when i.status = 'deactivated' then 'identity.deactivated' else 'identity.updated' end, i.id,
		       i.version, case when m.reason then '{status,status_reason}'::text[] else '{status}'::text[] end,
		       jsonb_build_object('external_id', i.external_id, 'kind', i.kind, 'status', i.status)
		  from unnest(@ids::text[]::uuid[], @reasons::bool[]) m (id, reason)
		  join identity i
		    on i.tenant_id = current_tenant()
		   and i.id = m.id`
	_, err = event.PublishEach(ctx, tx, "identity", sql, pgx.NamedArgs{"ids": ids, "reasons": reasons})
	return err
}
