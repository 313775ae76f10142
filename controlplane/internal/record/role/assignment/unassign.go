package assignment

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Unassign ends assignments and their reasons at an instant; zero: now. It says how many reasons ended. Assignments
// that have ended already stay as they are, and one that ends sooner than at keeps its end.
func Unassign(ctx context.Context, tx *pg.Tx, ids []string, at time.Time, why string, urgent bool) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	const sql = `
		with moment as materialized (
		    select coalesce(@at::timestamptz, now()) as at, coalesce(@at::timestamptz, now()) <= now() as passed
		), over as (
		    update role_assignment a
		       set state = case when m.passed or a.starts_at >= m.at then 'ended' else a.state end,
		           ended_at = case when m.passed or a.starts_at >= m.at then now() end,
		           ends_at = case when m.passed or a.starts_at >= m.at then a.ends_at else m.at end,
		           end_reason = @why, updated_at = now(), version = a.version + 1
		      from moment m
		     where a.id = any(@ids::text[]::uuid[])
		       and a.state <> 'ended'
		       and (m.passed or a.ends_at is null or a.ends_at > m.at)
		    returning a.id, a.role_id, a.identity_id
		), turn as (
		    insert into work_item (tenant_id, kind, subject, priority)
		    select distinct current_tenant(), 'policy', identity_id, @urgent::boolean::int from over
		)
		select o.id::text, o.role_id::text, r.name, o.identity_id::text
		  from over o
		  join role r on r.id = o.role_id
		 order by o.id`
	args := pgx.NamedArgs{"ids": ids, "at": nil, "why": why, "urgent": urgent}
	if !at.IsZero() {
		args["at"] = at
	}
	var over []string
	var entries []audit.Entry
	var id, roleID, name, identity string
	if err := pg.Each(ctx, tx, "end assignments", []any{&id, &roleID, &name, &identity}, func() error {
		over = append(over, id)
		e := audit.Entry{
			Action:  "role.unassigned",
			Subject: audit.Subject{Type: "role", ID: roleID, Display: name},
			Objects: []audit.Subject{
				{Type: "identity", ID: identity},
			},
			Reason:  why,
			Context: map[string]any{"assignment_id": id},
		}
		if !at.IsZero() {
			e.Context["at"] = at
		}
		entries = append(entries, e)
		return nil
	}, sql, args); err != nil {
		return 0, err
	}
	if len(over) == 0 {
		return 0, nil
	}
	n, err := endReasonsOf(ctx, tx, over, at, why, urgent)
	if err != nil {
		return 0, err
	}
	return n, audit.RecordAll(ctx, tx, entries)
}

func endReasonsOf(
	ctx context.Context,
	tx *pg.Tx,
	assignments []string,
	at time.Time,
	why string,
	urgent bool,
) (int, error) {
	const sql = `
		select r.id::text
		  from access_reason r
		 where r.source_id = any(@ids::text[]::uuid[])
		   and r.source_type = 'role_assignment'
		   and r.state <> 'ended'`
	ids, err := pg.All[string](ctx, tx, "reasons of assignments", sql, pgx.NamedArgs{"ids": assignments})
	if err != nil {
		return 0, err
	}
	if len(ids) == 0 {
		return 0, nil
	}
	return ledger.End(ctx, tx, ledger.Which{ReasonIDs: ids}, at, why, urgent)
}

// Settle starts and ends assignments by now, as the ledger does with their reasons, and enqueues the evaluation of
// their people: conditions may ask who has a role. It says how many assignments it has changed.
func Settle(ctx context.Context, tx *pg.Tx, now time.Time) (int, error) {
	const sql = `
		with moved as (
		    update role_assignment a
		       set state = case when a.ends_at <= @now then 'ended' else 'active' end,
		           ended_at = case when a.ends_at <= @now then @now::timestamptz end,
		           end_reason = case when a.ends_at <= @now then coalesce(a.end_reason, 'its time was over') end
		     where a.state <> 'ended' and a.ends_at <= @now
		        or a.state = 'scheduled' and a.starts_at <= @now
		    returning a.identity_id
		), turn as (
		    insert into work_item (tenant_id, kind, subject)
		    select distinct current_tenant(), 'policy', identity_id from moved
		)
		select count(*) from moved`
	var n int
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"now": now}).Scan(&n); err != nil {
		return 0, fmt.Errorf("settle assignments: %w", err)
	}
	return n, nil
}

// Leave ends all assignments of people who have left.
func Leave(ctx context.Context, tx *pg.Tx, identityIDs []string, why string) error {
	const sql = `
		update role_assignment a
		   set state = 'ended', ended_at = now(), end_reason = @why, updated_at = now(), version = a.version + 1
		 where a.identity_id = any(@ids::text[]::uuid[])
		   and a.state <> 'ended'`
	if len(identityIDs) == 0 {
		return nil
	}
	return pg.Exec(
		ctx,
		tx,
		"end assignments of those who have left",
		sql,
		pgx.NamedArgs{"ids": identityIDs, "why": why},
	)
}
