package decision

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// on does something to a task that the viewer can see, alone at it, and shows what became of it.
func (s *Service) on(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	do func(tx *pg.Tx, t DecisionTask) error,
) (d DecisionTaskDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		tasks, err := lock(ctx, tx, []string{id})
		if err != nil {
			return err
		}
		t, there := tasks[id]
		if !there {
			return absent(id)
		}
		if err := match.Check(t.Version); err != nil {
			return err
		}
		if err := do(tx, t); err != nil {
			return err
		}
		if t, err = Find(ctx, tx, id); err != nil {
			return err
		}
		d, err = detail(ctx, tx, t)
		return err
	})
	return d, err
}

// told keeps what somebody did about a task, in its history and in the audit log.
func told(ctx context.Context, tx *pg.Tx, t DecisionTask, event, detail string, e audit.Entry) error {
	if err := note(ctx, tx, all(event, detail, []string{t.ID})); err != nil {
		return err
	}
	return audit.Record(ctx, tx, e)
}

// Claim takes a task for oneself, so that nobody else decides it meanwhile.
func (s *Service) Claim(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (DecisionTaskDetail, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, t DecisionTask) error {
		const sql = `
			update decision_task
			   set state = 'claimed', claimed_by = @by, claimed_at = @at, updated_at = now(), version = version + 1
			 where tenant_id = current_tenant()
			   and id = @id`
		for _, err := range []error{t.waits(), t.decidable(v), t.free(v)} {
			if err != nil {
				return err
			}
		}
		if t.State == Claimed { // by the caller
			return nil
		}
		if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"id": id, "by": ActorOf(v), "at": s.Now()}); err != nil {
			return fmt.Errorf("claim task: %w", err)
		}
		return told(ctx, tx, t, "claimed", "", t.entry("decision_task.claimed"))
	})
}

// Release gives a claimed task back to all who decide it.
func (s *Service) Release(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (DecisionTaskDetail, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, t DecisionTask) error {
		const sql = `
			update decision_task
			   set state = 'open', claimed_by = null, claimed_at = null, updated_at = now(), version = version + 1
			 where tenant_id = current_tenant()
			   and id = @id`
		if err := t.waits(); err != nil {
			return err
		}
		if t.State != Claimed {
			return fault.Coded(fault.Conflict, "invalid_transition", "the task is not claimed").
				Also("state", t.State).
				Also("allowed", []string{"claim", "decide"})
		}
		if err := t.free(v); err != nil && !v.Has(viewer.Admin) {
			return err
		}
		if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"id": id}); err != nil {
			return fmt.Errorf("release task: %w", err)
		}
		return told(ctx, tx, t, "released", "it was claimed by "+t.ClaimedBy.Display, t.entry("decision_task.released"))
	})
}

// Choice is what somebody decides.
type Choice struct {
	Decision
	Wait  time.Duration // how long it can be undone
	Match httpapi.IfMatch
}

// DecideOne decides one task.
func (s *Service) DecideOne(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	c Choice,
) (d DecisionTaskDetail, err error) {
	c.Channel = "api"
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		results, err := s.decide(
			ctx,
			tx,
			[]string{id},
			c.Decision,
			c.Wait,
			func(t DecisionTask) error { return c.Match.Check(t.Version) },
		)
		if err == nil {
			err = results[0]
		}
		if err != nil {
			return err
		}
		t, err := Find(ctx, tx, id)
		if err != nil {
			return err
		}
		d, err = detail(ctx, tx, t)
		return err
	})
	return d, err
}

// Undo takes back a decision that has not taken effect yet.
func (s *Service) Undo(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (DecisionTaskDetail, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, t DecisionTask) error {
		switch {
		case t.open():
			return fault.Coded(fault.Conflict, "invalid_transition", "nothing has been decided here").
				Also("state", t.State).
				Also("allowed", []string{"claim", "decide"})
		case t.State != Decided:
			return t.waits()
		case t.ApplyAt == nil:
			return fault.Coded(fault.Conflict, "too_late",
				"the decision of %s has taken effect and cannot be undone here", when(t.Decision.At)).
				Also("decision", t.Decision)
		case !v.Has(viewer.Admin) && (t.Decision.By.Type != string(v.Kind) || t.Decision.By.ID != v.ID):
			return fault.New(
				fault.Forbidden,
				"%s has decided this; they, or an administrator, can undo it",
				t.Decision.By.Display,
			)
		}
		if err := t.others(v); err != nil { // to take back a rejection is as good as an approval
			return err
		}
		e := t.entry("decision_task.undone")
		e.Context["action"] = t.Decision.Action
		if err := reopen(ctx, tx, []string{id}); err != nil {
			return err
		}
		return told(ctx, tx, t, "undone", t.label(t.Decision.Action), e)
	})
}

// reopen opens tasks whose decision was taken back, or refused, for those who decide them now.
func reopen(ctx context.Context, tx *pg.Tx, ids []string) error {
	const sql = `
		update decision_task
		   set state = 'open', decision = null, decided_at = null, apply_at = null, updated_at = now(),
		       version = version + 1
		 where tenant_id = current_tenant()
		   and id = any(@ids::text[]::uuid[])`
	const gone = `
		update decision_assignee a
		   set dropped_at = now()
		 where a.tenant_id = current_tenant()
		   and a.task_id = any(@ids::text[]::uuid[])
		   and a.dropped_at is null
		   and (unable_to_decide(a.identity_id) in ('left', 'user_disabled')
		        or exists (select from decision_delegation d where d.tenant_id = a.tenant_id and d.id = any(a.path)
		            and d.state in ('ended', 'revoked')))`
	for _, statement := range []string{sql, gone} {
		if _, err := tx.Exec(ctx, statement, pgx.NamedArgs{"ids": ids}); err != nil {
			return fmt.Errorf("reopen tasks: %w", err)
		}
	}
	if err := follow(ctx, tx, ids); err != nil {
		return err
	}
	return settlePeople(ctx, tx, ids)
}

// Comment says something about a task.
func (s *Service) Comment(ctx context.Context, v viewer.Viewer, id, text string) (DecisionTaskDetail, error) {
	return s.on(ctx, v, id, httpapi.IfMatch{}, func(tx *pg.Tx, t DecisionTask) error {
		if err := touch(ctx, tx, []string{id}); err != nil {
			return err
		}
		e := t.entry("decision_task.commented")
		e.Reason = text
		return told(ctx, tx, t, "commented", text, e)
	})
}
