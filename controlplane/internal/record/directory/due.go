package directory

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Due says how many people ApplyDue moved, and whether there are more.
type Due struct {
	Started, Left, OnLeave, Returned, Noticed, Archived int
	More                                                bool
}

// dueAtOnce bounds what one transaction moves, with an audit entry each.
const dueAtOnce = 2000

// ApplyDue does what a date decides, in the tenant's time zone: who starts, goes on leave, returns, is close to the end or has
// left. Whoever was deactivated long enough ago is archived, if the lifecycle says so; pins whose time is over end; what leavers
// answered for goes to who stands in for them; changed ranks of sources decide. It catches up with whatever has become due,
// in one step however many dates have passed meanwhile; a second call finds nothing.
func ApplyDue(ctx context.Context, tx *pg.Tx, now time.Time) (due Due, err error) {
	l, err := FindLifecycle(ctx, tx)
	if err != nil {
		return due, err
	}
	moved, err := moveDue(ctx, tx, l.Clock(now))
	if err != nil {
		return due, err
	}
	for _, m := range moved {
		*due.counter(m.From, m.To)++
	}
	due.More = len(moved) == dueAtOnce
	if err := unpinDue(ctx, tx, l.Clock(now)); err != nil {
		return due, err
	}
	if err := handOver(ctx, tx, now); err != nil {
		return due, err
	}
	if _, err := ApplyAuthority(ctx, tx); err != nil {
		return due, err
	}
	archived, err := archiveDue(ctx, tx, l, now)
	due.Archived, due.More = archived, due.More || archived == dueAtOnce
	return due, err
}

func (d *Due) counter(from, to string) *int {
	switch {
	case to == Deactivated:
		return &d.Left
	case to == OnLeave:
		return &d.OnLeave
	case to == Notice:
		return &d.Noticed
	case from == PreHire:
		return &d.Started
	}
	return &d.Returned
}

// dueSQL finds who may have to move, each arm by an index of its own. What follows from what is written follows when it is written.
const dueSQL = `
	select i.id from identity i where i.status = 'pre_hire' and i.start_date <= @clock_today::date
	 union
	select i.id from identity i
	 where i.status in ('pre_hire', 'active', 'on_leave', 'notice')
	   and (i.termination_date is not null or i.last_working_at is not null)
	   and (i.last_working_at <= @clock_now::timestamptz or i.last_working_at is null and i.termination_date < @clock_today::date
	        or i.status in ('active', 'on_leave')
	           and coalesce(i.last_working_at <= coalesce(@clock_notice_at::timestamptz, 'infinity'), i.termination_date <= coalesce(@clock_notice_day::date, 'infinity')))
	 union
	select i.id from identity i
	 where i.status = 'active' and i.leave_from <= @clock_today::date and coalesce(i.leave_to >= @clock_today::date, true)
	 union
	select i.id from identity i where i.status = 'on_leave' and i.leave_to < @clock_today::date`

func moveDue(ctx context.Context, tx *pg.Tx, c Clock) ([]Move, error) {
	moved, err := follow(ctx, tx, c, dueSQL, pgx.NamedArgs{"follow_limit": dueAtOnce}, "policy", false)
	if err != nil || len(moved) == 0 {
		return moved, err
	}
	return moved, recordMoves(ctx, tx, moved)
}

// Move is a state that somebody left for another.
type Move struct {
	ID, Display, ExternalID, Kind, From, To string
	FromReason, ToReason                    *string
	Version                                 int
}

// FollowDates brings the states of people up to date with their dates and with what is said of them: of those whose ids the query
// gives, which may name further arguments. It is for large numbers: the caller audits them together. Rows that this transaction has
// written already keep the version that they got by that.
func FollowDates(ctx context.Context, tx *pg.Tx, source, people string, args pgx.NamedArgs) ([]Move, error) {
	c, err := ClockOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	return follow(ctx, tx, c, people, args, source, true)
}

// ClockOf is the transaction's own instant as the tenant's days see it.
func ClockOf(ctx context.Context, tx *pg.Tx) (c Clock, err error) {
	l, err := FindLifecycle(ctx, tx)
	if err != nil {
		return c, err
	}
	var now time.Time
	if err := tx.QueryRow(ctx, `select now()`).Scan(&now); err != nil {
		return c, fmt.Errorf("read the clock: %w", err)
	}
	return l.Clock(now), nil
}

// follow moves whoever's state is another than the one that follows, with the reason that a notice had, or none. along says that it
// belongs to what this transaction writes, and is dated by it.
func follow(ctx context.Context, tx *pg.Tx, c Clock, people string, args pgx.NamedArgs, source string, along bool) ([]Move, error) {
	at, step := "@clock_now::timestamptz", "1"
	if along {
		at, step = "now()", "(i.updated_at <> now())::int"
	}
	sql := `
		with due as materialized (
		    select i.id, i.status, i.status_reason, ` + StateSQL + ` as state
		      from identity i
		     where i.tenant_id = current_tenant()
		       and i.id in (` + people + `)
		       and i.status <> 'archived'
		       and i.status <> ` + StateSQL + `
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
	rows, err := tx.Query(ctx, sql, all)
	if err != nil {
		return nil, fmt.Errorf("follow dates: %w", err)
	}
	moved, err := pgx.CollectRows(rows, pgx.RowToStructByName[Move])
	if err != nil {
		return nil, fmt.Errorf("follow dates: %w", err)
	}
	return moved, nil
}

// recordMoves puts on record, and tells, who moved.
func recordMoves(ctx context.Context, tx *pg.Tx, moved []Move) error {
	entries, ids := make([]audit.Entry, len(moved)), make([]string, len(moved))
	for i, m := range moved {
		ids[i] = m.ID
		entries[i] = audit.Entry{Action: m.action(), Subject: audit.Subject{Type: "identity", ID: m.ID, Display: m.Display},
			Changes: []audit.Change{{Field: "status", From: m.From, To: m.To}}}
		if text(m.FromReason) != text(m.ToReason) {
			entries[i].Changes = append(entries[i].Changes, audit.Change{Field: "status_reason", From: m.FromReason, To: m.ToReason})
		}
	}
	if err := audit.RecordAll(ctx, tx, entries); err != nil {
		return err
	}
	return tellMoves(ctx, tx, moved)
}

func (m Move) action() string {
	if m.To == Deactivated {
		return "identity.deactivated"
	}
	return "identity.updated"
}

func tellMoves(ctx context.Context, tx *pg.Tx, moved []Move) error {
	wanted, err := event.Wanted(ctx, tx, event.IdentityUpdated, event.IdentityDeactivated)
	if err != nil || !wanted {
		return err
	}
	ids, reasons := make([]string, len(moved)), make([]bool, len(moved))
	for i, m := range moved {
		ids[i], reasons[i] = m.ID, text(m.FromReason) != text(m.ToReason)
	}
	const sql = `
		select case when i.status = 'deactivated' then 'identity.deactivated' else 'identity.updated' end, i.id, i.version,
		       case when m.reason then '{status,status_reason}'::text[] else '{status}'::text[] end,
		       jsonb_build_object('external_id', i.external_id, 'kind', i.kind, 'status', i.status)
		  from unnest(@ids::text[]::uuid[], @reasons::bool[]) m (id, reason)
		  join identity i
		    on i.tenant_id = current_tenant()
		   and i.id = m.id`
	_, err = event.PublishEach(ctx, tx, "identity", sql, pgx.NamedArgs{"ids": ids, "reasons": reasons})
	return err
}
