package inbox

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// applyDue applies a batch of a tenant's decisions that can no longer be undone, and says how many there were. When
// they cannot be applied together, each is tried by itself, and what fails alone waits for a while.
func (s *Service) applyDue(ctx context.Context, tenant string) (int, error) {
	v := viewer.System(tenant)
	var due []string
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if due, err = s.dueTasks(ctx, tx); err != nil || len(due) == 0 {
			return err
		}
		return s.apply(ctx, tx, due)
	})
	if err == nil || len(due) == 0 {
		return len(due), err
	}
	for _, id := range due {
		if err := s.applyAlone(ctx, v, id); err != nil {
			return 0, err
		}
	}
	return len(due), nil
}

// dueTasks takes decisions that are due and that no other process works on.
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
	return pg.All[string](ctx, tx, "find decisions that are due", sql, pgx.NamedArgs{"now": s.Now(), "batch": batch})
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
		return pg.Exec(ctx, tx, "put a decision off", sql, pgx.NamedArgs{"id": id, "later": s.Now().Add(putOff)})
	})
}

// apply reports the final decision to the packages that asked. What they refuse now is open again.
func (s *Service) apply(ctx context.Context, tx *pg.Tx, ids []string) error {
	const sql = `
		update decision_task
		   set apply_at = null, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = any(@ids::text[]::uuid[])`
	tasks, err := decision.Lock(ctx, tx, ids)
	if err != nil {
		return err
	}
	var answered []decision.Answered
	for _, id := range ids {
		if t, there := tasks[id]; there && t.State == decision.Decided && t.ApplyAt != nil &&
			!t.ApplyAt.After(s.Now()) {
			answered = append(answered, decision.Answered{Task: t, Decision: *t.Decision})
		}
	}
	refused, err := s.callAnswers(ctx, tx, answered, false)
	if err != nil {
		return err
	}
	var done, back []string
	var events []decision.HistoryEntry
	for i, a := range answered {
		if refused[i] == nil {
			done = append(done, a.Task.ID)
			applied := a.Task.Label(a.Decision.Action)
			events = append(events, decision.HistoryEntry{TaskID: a.Task.ID, Event: "applied", Detail: applied})
			continue
		}
		back = append(back, a.Task.ID)
		why := refusal(a, refused[i])
		events = append(events, decision.HistoryEntry{TaskID: a.Task.ID, Event: "refused", Detail: why})
	}
	if err := pg.Exec(ctx, tx, "apply decisions", sql, pgx.NamedArgs{"ids": done}); err != nil {
		return err
	}
	if err := decision.AddHistory(ctx, tx, events); err != nil {
		return err
	}
	if len(back) == 0 {
		return nil
	}
	return reopen(ctx, tx, back)
}

// refusal is why a decision did not take effect, for the history.
func refusal(a decision.Answered, err error) string {
	text := a.Task.Label(a.Decision.Action) + " by " + a.Decision.By.Display + " could not take effect: " + err.Error()
	var f *fault.Fault
	if errors.As(err, &f) {
		text += " (" + f.Code + ")"
	}
	return text
}
