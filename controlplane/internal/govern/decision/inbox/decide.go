package inbox

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/tasklist"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Choice is a decision.
type Choice struct {
	decision.Decision
	Wait  time.Duration // how long it can be undone
	Match httpapi.IfMatch
}

// DecideOne decides one task.
func (s *Service) DecideOne(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	c Choice,
) (d tasklist.DecisionTaskDetail, err error) {
	c.Channel = "api"
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		results, err := s.decide(
			ctx,
			tx,
			[]string{id},
			c.Decision,
			c.Wait,
			func(t decision.DecisionTask) error { return c.Match.Check(t.Version) },
		)
		if err == nil {
			err = results[0]
		}
		if err != nil {
			return err
		}
		t, err := decision.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		d, err = tasklist.Detail(ctx, tx, t)
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
) (tasklist.DecisionTaskDetail, error) {
	return s.change(ctx, v, id, match, func(tx *pg.Tx, t decision.DecisionTask) error {
		switch {
		case t.IsOpen():
			return fault.Coded(fault.Conflict, "invalid_transition", "nothing has been decided here").
				Also("state", t.State).
				Also("allowed", []string{"claim", "decide"})
		case t.State != decision.Decided:
			return t.CheckOpen()
		case t.ApplyAt == nil:
			return fault.Coded(fault.Conflict, "too_late",
				"the decision of %s has taken effect and cannot be undone here", decision.FormatTime(t.Decision.At)).
				Also("decision", t.Decision)
		case !v.Has(viewer.Admin) && (t.Decision.By.Type != string(v.Kind) || t.Decision.By.ID != v.ID):
			return fault.New(
				fault.Forbidden,
				"%s made this decision. Only they or an administrator can undo it.",
				t.Decision.By.Display,
			)
		}
		if err := t.CheckOwnRequest(v); err != nil { // to take back a rejection is as good as an approval
			return err
		}
		e := t.AuditEntry("decision_task.undone")
		e.Context["action"] = t.Decision.Action
		if err := reopen(ctx, tx, []string{id}); err != nil {
			return err
		}
		return record(ctx, tx, t, "undone", t.Label(t.Decision.Action), e)
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
		if err := pg.Exec(ctx, tx, "reopen tasks", statement, pgx.NamedArgs{"ids": ids}); err != nil {
			return err
		}
	}
	if err := decision.SyncOpen(ctx, tx, ids); err != nil {
		return err
	}
	return decision.UpdateAssignees(ctx, tx, ids)
}

// Decide decides open tasks in the caller's transaction as its viewer, after every check of who may: for packages that
// take decisions by paths of their own. The results are in the order of the ids.
func (s *Service) Decide(ctx context.Context, tx *pg.Tx, ids []string, d decision.Decision) ([]error, error) {
	if d.Channel == "" {
		d.Channel = "request"
	}
	return s.decide(ctx, tx, ids, d, 0, nil)
}

// decide decides tasks, now or after a time in which that can be undone. also is one more check of each.
func (s *Service) decide(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	d decision.Decision,
	wait time.Duration,
	also func(decision.DecisionTask) error,
) ([]error, error) {
	d.At, d.By = s.Now().UTC().Truncate(time.Microsecond), decision.ActorOf(tx.Viewer)
	tasks, err := decision.Lock(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	results, first := make([]error, len(ids)), map[string]int{}
	var answered []decision.Answered
	var places []int
	for i, id := range ids {
		if _, again := first[id]; again { // named twice, it is decided once
			continue
		}
		first[id] = i
		t, there := tasks[id]
		if !there {
			results[i] = decision.NotFound(id)
			continue
		}
		if results[i] = t.Judge(tx, d, also); results[i] == nil {
			answered, places = append(answered, decision.Answered{Task: t, Decision: d.ActingFor(t)}), append(places, i)
		}
	}
	refused, err := s.callAnswers(ctx, tx, answered, wait > 0)
	if err != nil {
		return nil, err
	}
	var accepted []decision.Answered
	for n, a := range answered {
		if results[places[n]] = refused[n]; refused[n] == nil {
			accepted = append(accepted, a)
		}
	}
	for i, id := range ids {
		results[i] = results[first[id]]
	}
	var applyAt *time.Time
	if wait > 0 {
		at := d.At.Add(wait)
		applyAt = &at
	}
	return results, settle(ctx, tx, accepted, applyAt)
}
