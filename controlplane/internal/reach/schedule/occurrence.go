package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// trigger is what the runs of a schedule are marked with.
const trigger = "schedule"

// acting is on whose behalf a schedule starts runs.
func acting(tenant string) viewer.Viewer {
	v := viewer.System(tenant)
	v.Display = "schedule"
	return v
}

// deal does what an occurrence asks for, and moves the schedule on, in one transaction; dealt is false when somebody
// else does. When it cannot commit, because somebody has started a run in the same moment or this process dies, the
// occurrence is still due.
func (s *Service) deal(ctx context.Context, d due) (dealt bool, err error) {
	err = s.DB.As(ctx, acting(d.Tenant), func(tx *pg.Tx) error {
		now := s.Now()
		r, status, err := take(ctx, tx, d.Connector, now)
		if dealt = status != ""; err != nil || !dealt {
			return err
		}
		if status == "deleted" {
			return remove(ctx, tx, d.Connector)
		}
		p, err := r.plan(d.Connector)
		if err != nil {
			return err
		}
		if err := s.decide(ctx, tx, p, &r, status, now); err != nil {
			return err
		}
		return move(ctx, tx, d.Connector, r)
	})
	if syncrun.AlreadyRunning(err) {
		return false, nil // the next look sees that run
	}
	return dealt && err == nil, err
}

// take locks a schedule that is due, and its connector against changes of its state. The status is empty when there is
// nothing to do, or somebody else is at it. The order of the locks is that of all others: whatever is locked already is
// left for later.
func take(ctx context.Context, tx *pg.Tx, connector string, now time.Time) (r row, status string, err error) {
	const sql = `
		select s.incremental_cron, s.full_cron, s.timezone, s.jitter, s.incremental_at, s.full_at, s.due_at,
		       s.last_occurrence, s.skipped, case when c.deleted_at is null then c.status else 'deleted' end
		  from connector_schedule s
		  join connector c
		    on c.tenant_id = s.tenant_id
		   and c.id = s.connector_id
		 where s.tenant_id = current_tenant()
		   and s.connector_id = $1
		   and s.due_at <= $2
		   and exists (select from tenant where id = current_tenant() and status = 'active')
		   for update of s skip locked
		   for share of c skip locked`
	err = tx.QueryRow(ctx, sql, connector, now).
		Scan(&r.IncrementalCron, &r.FullCron, &r.Timezone, &r.Jitter, &r.IncrementalAt, &r.FullAt, &r.DueAt, &r.Last,
			&r.Skipped, &status)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return r, "", fmt.Errorf("take schedule: %w", err)
	}
	return r, status, nil
}

// decide starts a run, or says why not, and finds the next occurrences. Where both kinds are due, everything is read.
func (s *Service) decide(ctx context.Context, tx *pg.Tx, p plan, r *row, status string, now time.Time) error {
	missed, readsAll := p.incremental, p.begun(r.FullAt, now)
	done := ScheduleOccurrence{Kind: incremental, DecidedAt: now.UTC()}
	switch {
	case readsAll:
		done.Kind, done.At, missed = full, *r.FullAt, p.full
	case p.begun(r.IncrementalAt, now):
		done.At = *r.IncrementalAt
	default:
		r.DueAt = p.due(r.IncrementalAt, r.FullAt)
		return nil
	}
	second := missed.Next(done.At, p.zone)
	done.CaughtUp = !second.IsZero() && p.begun(&second, now)
	if err := s.begin(ctx, tx, p.connector, status, &done); err != nil {
		return err
	}
	r.Last = &done
	switch done.Outcome {
	case waiting:
		later := now.Add(patience)
		r.DueAt = &later
		return nil
	case started:
		r.Skipped = 0
	case skipped:
		r.Skipped++
	}
	r.advance(p, now)
	return nil
}

// Outcomes of an occurrence.
const (
	started = "started"
	skipped = "skipped"
	waiting = "waiting"
)

// begin enters the run of an occurrence, unless the connector is stopped or another run is active.
func (s *Service) begin(ctx context.Context, tx *pg.Tx, connector, status string, done *ScheduleOccurrence) error {
	leave := func(outcome, reason string, run *string) error {
		done.Outcome, done.Reason, done.RunID = outcome, &reason, run
		return nil
	}
	if !runnable(status) {
		return leave(skipped, "connector_"+status, nil)
	}
	const active = `
		select id, incremental
		  from sync_run
		 where tenant_id = current_tenant()
		   and connector_id = $1
		   and status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')`
	var run string
	var readsChanges bool
	err := tx.QueryRow(ctx, active, connector).Scan(&run, &readsChanges)
	switch {
	case err == nil && done.Kind == full && readsChanges:
		return leave(
			waiting,
			"sync_already_running",
			&run,
		) // what comes once a night is not lost to what comes every quarter of an hour
	case err == nil:
		return leave(skipped, "sync_already_running", &run)
	case !errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("find active run: %w", err)
	}
	entered, err := s.Runs.Enter(ctx, tx, connector, trigger, syncrun.Trigger{Incremental: done.Kind == incremental})
	if err != nil {
		return err
	}
	done.Outcome, done.RunID = started, &entered.ID
	return nil
}

// begun reports whether the run of an occurrence should have begun by now.
func (p plan) begun(at *time.Time, now time.Time) bool { return at != nil && !p.starts(*at).After(now) }

// advance moves on to the occurrences that are to come.
func (r *row) advance(p plan, now time.Time) {
	if p.begun(r.IncrementalAt, now) {
		r.IncrementalAt = p.next(p.incremental, *r.IncrementalAt, now)
	}
	if p.begun(r.FullAt, now) {
		r.FullAt = p.next(p.full, *r.FullAt, now)
	}
	r.DueAt = p.due(r.IncrementalAt, r.FullAt)
}

// postpone looks again later at a schedule that could not be kept, so that it does not stand in the way of others.
func (s *Service) postpone(ctx context.Context, d due) {
	err := s.DB.As(ctx, acting(d.Tenant), func(tx *pg.Tx) error {
		const sql = `
			update connector_schedule
			   set due_at = $3
			 where tenant_id = current_tenant()
			   and connector_id = $1
			   and due_at = $2`
		_, err := tx.Exec(ctx, sql, d.Connector, d.At, s.Now().Add(putOff))
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "cannot put a schedule off", "tenant", d.Tenant, "connector", d.Connector, "err", err)
	}
}
