package inbox

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/tasklist"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// change does something to a task that the viewer can see, alone at it, and returns what became of it.
func (s *Service) change(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	do func(tx *pg.Tx, t decision.DecisionTask) error,
) (d tasklist.DecisionTaskDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		tasks, err := decision.Lock(ctx, tx, []string{id})
		if err != nil {
			return err
		}
		t, there := tasks[id]
		if !there {
			return decision.NotFound(id)
		}
		if err := match.Check(t.Version); err != nil {
			return err
		}
		if err := do(tx, t); err != nil {
			return err
		}
		if t, err = decision.Find(ctx, tx, id); err != nil {
			return err
		}
		d, err = tasklist.Detail(ctx, tx, t)
		return err
	})
	return d, err
}

// record adds an action to the history of a task and to the audit log.
func record(ctx context.Context, tx *pg.Tx, t decision.DecisionTask, event, detail string, e audit.Entry) error {
	if err := decision.AddHistory(ctx, tx, decision.EntriesFor(event, detail, []string{t.ID})); err != nil {
		return err
	}
	return audit.Record(ctx, tx, e)
}

// Comment says something about a task.
func (s *Service) Comment(ctx context.Context, v viewer.Viewer, id, text string) (tasklist.DecisionTaskDetail, error) {
	return s.change(ctx, v, id, httpapi.IfMatch{}, func(tx *pg.Tx, t decision.DecisionTask) error {
		if err := decision.Touch(ctx, tx, []string{id}); err != nil {
			return err
		}
		e := t.AuditEntry("decision_task.commented")
		e.Reason = text
		return record(ctx, tx, t, "commented", text, e)
	})
}
