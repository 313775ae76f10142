package decision

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Times and sizes of the work.
const (
	interval = time.Second      // how soon is noticed what is due
	putOff   = 30 * time.Second // how long a decision waits that could not be applied
	batch    = 200              // decisions in one transaction
	sweeping = 10 * time.Minute // how soon is noticed what nobody noted
)

// Run applies decisions whose time to be undone has passed, begins and ends delegations, and asks others where somebody
// has left, until ctx ends. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	var swept time.Time
	return loop.Worker{
		Every:  interval,
		Log:    s.Log,
		Cannot: "cannot look what is due in inboxes",
	}.Run(
		ctx,
		func(ctx context.Context) error {
			if time.Since(swept) > sweeping {
				swept = time.Now()
				if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
					s.Log.WarnContext(
						ctx,
						"cannot look whose tasks wait for people whose records were deleted",
						"err",
						err,
					)
				}
			}
			return s.Look(ctx)
		},
	)
}

// Look does what is due, in every tenant.
func (s *Service) Look(ctx context.Context) error {
	const sql = `
		select tenant_id from decision_task where apply_at <= @now
		 union
		select tenant_id from decision_delegation where state = 'scheduled' and starts_at <= @now or state = 'active'
		    and ends_at <= @now
		 union
		select tenant_id from decision_leaver`
	tenants, err := s.tenants(ctx, sql)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		for _, do := range []func(context.Context, viewer.Viewer) error{s.applyDue, s.turnDelegations,
			s.followLeavers} {
			if err := do(ctx, viewer.System(tenant)); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(
					ctx,
					"cannot do what is due in the inbox of a tenant; it is tried again",
					"tenant",
					tenant,
					"err",
					err,
				)
			}
		}
	}
	return ctx.Err()
}

// Sweep notes who has left while they were being asked, which their leaving could not note.
func (s *Service) Sweep(ctx context.Context) error {
	const open = `select distinct tenant_id from decision_task where state in ('open', 'claimed')
		and @now::timestamptz is not null`
	const sql = `
		insert into decision_leaver (tenant_id, identity_id)
		select distinct a.tenant_id, a.identity_id
		  from decision_assignee a
		 where a.tenant_id = current_tenant()
		   and a.dropped_at is null
		   and a.open
		   and unable_to_decide(a.identity_id) in ('left', 'user_disabled')`
	tenants, err := s.tenants(ctx, open)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		err := s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error { _, err := tx.Exec(ctx, sql); return err })
		if err != nil {
			return fmt.Errorf("note who has left: %w", err)
		}
	}
	return nil
}

// tenants are those that a statement finds, in any order.
func (s *Service) tenants(ctx context.Context, sql string) (ids []string, err error) {
	ids, err = pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql, pgx.NamedArgs{"now": s.Now()})
	if err != nil {
		return nil, fmt.Errorf("find tenants with something due: %w", err)
	}
	rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids, nil
}

// applyDue applies decisions that can no longer be undone, many at once. When they cannot be applied together, each is
// tried by itself, and what fails alone waits for a while.
func (s *Service) applyDue(ctx context.Context, v viewer.Viewer) error {
	for ctx.Err() == nil {
		var due []string
		err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
			if due, err = s.dueTasks(ctx, tx); err != nil || len(due) == 0 {
				return err
			}
			return s.apply(ctx, tx, due)
		})
		if len(due) == 0 {
			return err
		}
		if err == nil {
			continue
		}
		for _, id := range due {
			if err := s.applyAlone(ctx, v, id); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// dueTasks takes decisions that are due and that nobody else is at.
func (s *Service) dueTasks(ctx context.Context, tx *pg.Tx) ([]string, error) {
	const sql = `
		select t.id::text
		  from decision_task t
		 where t.tenant_id = current_tenant()
		   and t.apply_at <= @now
		   and t.state = 'decided'
		 order by t.apply_at, t.id
		 limit @batch
		   for update of t skip locked`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"now": s.Now(), "batch": batch})
	if err != nil {
		return nil, fmt.Errorf("find decisions that are due: %w", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find decisions that are due: %w", err)
	}
	return due, nil
}

// applyAlone applies one decision; when it fails, it is tried again later.
func (s *Service) applyAlone(ctx context.Context, v viewer.Viewer, id string) error {
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error { return s.apply(ctx, tx, []string{id}) })
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	s.Log.WarnContext(
		ctx,
		"a decision could not be applied; it is tried again",
		"tenant",
		v.Tenant,
		"task",
		id,
		"err",
		err,
	)
	const sql = `update decision_task set apply_at = @later where tenant_id = current_tenant() and id = @id
		and apply_at is not null`
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"id": id, "later": s.Now().Add(putOff)}); err != nil {
			return fmt.Errorf("put a decision off: %w", err)
		}
		return nil
	})
}

// apply tells those who asked what was decided, for good. What they refuse now is open again.
func (s *Service) apply(ctx context.Context, tx *pg.Tx, ids []string) error {
	const sql = `
		update decision_task
		   set apply_at = null, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = any(@ids::text[]::uuid[])`
	tasks, err := lock(ctx, tx, ids)
	if err != nil {
		return err
	}
	var answered []Answered
	for _, id := range ids {
		if t, there := tasks[id]; there && t.State == Decided && t.ApplyAt != nil && !t.ApplyAt.After(s.Now()) {
			answered = append(answered, Answered{Task: t, Decision: *t.Decision})
		}
	}
	refused, err := s.tell(ctx, tx, answered, false)
	if err != nil {
		return err
	}
	var done, back []string
	var events []happened
	for i, a := range answered {
		if refused[i] == nil {
			done, events = append(
				done,
				a.Task.ID,
			), append(
				events,
				happened{a.Task.ID, "applied", a.Task.label(a.Decision.Action)},
			)
			continue
		}
		back = append(back, a.Task.ID)
		events = append(events, happened{a.Task.ID, "refused", refusal(a, refused[i])})
	}
	if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"ids": done}); err != nil {
		return fmt.Errorf("apply decisions: %w", err)
	}
	if err := note(ctx, tx, events); err != nil {
		return err
	}
	if len(back) == 0 {
		return nil
	}
	return reopen(ctx, tx, back)
}

// refusal is why a decision did not take effect, for the history.
func refusal(a Answered, err error) string {
	text := a.Task.label(a.Decision.Action) + " by " + a.Decision.By.Display + " could not take effect: " + err.Error()
	var f *fault.Fault
	if errors.As(err, &f) {
		text += " (" + f.Code + ")"
	}
	return text
}
