package order

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/settle"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
)

type completeIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body Completed
}

// Completed is the report of a person who has made a change by hand.
type Completed struct {
	// What was done. It is kept with the task, and goes into the audit log.
	Note string `json:"note" minLength:"1" maxLength:"2000"`
}

func (s *Service) complete(ctx context.Context, v viewer.Viewer, in *completeIn) (*taskview.TaskOut, error) {
	return s.changed(
		ctx,
		v,
		in.ID,
		func(tx *pg.Tx) error { return s.Complete(ctx, tx, in.ID, in.IfMatch, in.Body.Note) },
	)
}

// Complete writes within a transaction that a person has made a task's change in the target.
func (s *Service) Complete(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch, note string) error {
	audited := audit.Entry{Action: "provisioning.completed", Reason: note}
	return change(ctx, tx, id, "complete", match, audited, func(t stored) error { return s.byHand(ctx, tx, t, note) })
}

// byHand writes that a person has made a change in the target.
func (s *Service) byHand(ctx context.Context, tx *pg.Tx, t stored, note string) error {
	o := attempt.Outcome{
		Job: attempt.Job{
			ID:        t.ID,
			Operation: t.Operation,
			AccountID: t.AccountID,
			GrantID:   t.GrantID,
			Payload:   t.Payload,
			Mode:      task.ModeAuto,
		},
		State:  task.Done,
		Result: "completed",
	}
	if t.Operation == task.CreateAccount {
		o.State = task.Verifying // its key in the target is not known
	}
	const sql = `
		update provisioning_task
		   set state = $2, outcome = 'completed', verified = case when $2 = 'done' then 'yes' else 'pending' end,
		       verified_by = 'human', verified_at = now(), note = coalesce(note || '; ', '') || $3, unsure = false,
		           error = null, error_class = null, advice = null, finished_at = now(), updated_at = now(),
		           version = version + 1
		 where id = $1`
	if err := pg.Exec(ctx, tx, "complete task", sql, t.ID, o.State, note); err != nil {
		return err
	}
	if t.Operation == task.CreateAccount && t.AccountID != nil {
		if err := directoryaccount.SetStatus(ctx, tx, *t.AccountID, "provisioning"); err != nil {
			return err
		}
	}
	if err := settle.Apply(ctx, tx, s.Now(), []attempt.Outcome{o}); err != nil {
		return err
	}
	if err := settle.Follow(ctx, tx, []attempt.Outcome{o}); err != nil {
		return err
	}
	return pg.Notify(ctx, tx, taskstore.Channel, tx.Viewer.Tenant)
}
