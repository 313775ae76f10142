package planner

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/failure"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/manual"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/plan"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
)

// WritePlan makes a plan's rows, each kind in one statement.
func WritePlan(ctx context.Context, tx *pg.Tx, p *plan.Plan, sum *Planned) error {
	if err := withdrawOutdated(ctx, tx, p, sum); err != nil {
		return err
	}
	if err := render(ctx, tx, p); err != nil {
		return err
	}
	if err := mark(ctx, tx, p); err != nil {
		return err
	}
	real := slices.DeleteFunc(
		slices.Clone(p.Accounts),
		func(a plan.NewAccount) bool { return p.Tasks[a.Task].Mode == task.ModeSimulate },
	)
	placeholders := make([]directoryaccount.Pending, len(real))
	for i, a := range real {
		placeholders[i] = directoryaccount.Pending{
			ID:          a.ID,
			ConnectorID: a.ConnectorID,
			IdentityID:  a.IdentityID,
			Username:    a.Username,
			Email:       a.Email,
			DisplayName: a.DisplayName,
			Status:      a.Status,
			Wanted:      a.Wanted,
		}
	}
	if err := directoryaccount.InsertPending(ctx, tx, placeholders); err != nil {
		return err
	}
	awaited := make([]grantstatus.Awaited, len(p.Grants))
	for i, g := range p.Grants {
		awaited[i] = grantstatus.Awaited(g)
	}
	there, err := grantstatus.Await(ctx, tx, awaited)
	if err != nil {
		return err
	}
	if len(there) < len(p.Grants) {
		return fmt.Errorf("a sync has brought grants in the meantime: %w", taskstore.ErrOvertaken)
	}
	rows, err := TaskRows(ctx, tx, p)
	if err != nil {
		return err
	}
	if err := taskstore.Replace(ctx, tx, p.Tasks); err != nil {
		return err
	}
	ids, err := taskstore.Insert(ctx, tx, rows)
	sum.Accounts, sum.Grants, sum.Tasks = sum.Accounts+len(real), sum.Grants+len(there), sum.Tasks+len(ids)
	return err
}

// TaskRows are the tasks of a plan with their advice.
func TaskRows(ctx context.Context, tx *pg.Tx, p *plan.Plan) ([]taskstore.Row, error) {
	tasks := p.Tasks
	words, err := manual.ReadNames(ctx, tx, tasks)
	if err != nil {
		return nil, err
	}
	rows := make([]taskstore.Row, len(tasks))
	for i, d := range tasks {
		advice := ""
		switch {
		case d.Mode == task.ModeManual:
			advice = manual.Instructions(d, p.Can[d.ConnectorID], words)
		case d.Failed != nil && d.Failed.Code == "removed_in_target":
			advice = "Retry the task to restore the access in the target, or end the reasons for it."
		case d.Failed != nil:
			advice = failure.AdviceOfDraft(d.Failed)
		}
		rows[i] = taskstore.RowOf(d, advice)
	}
	return rows, nil
}

// withdrawOutdated cancels what has not been sent and is not wanted any more, with what waits for it, and marks what
// was sent to be looked at again.
func withdrawOutdated(ctx context.Context, tx *pg.Tx, p *plan.Plan, sum *Planned) error {
	cancelled, sent, err := taskstore.Withdraw(ctx, tx, p.Cancelled)
	if err != nil {
		return err
	}
	sum.Cancelled += len(cancelled)
	if err := taskstore.Complete(ctx, tx, p.Fulfilled); err != nil {
		return err
	}
	// A worker was quicker: what it sends now is looked at again when it has ended, and what was to follow is not
	// written.
	if len(sent) > 0 {
		return fmt.Errorf("plan again: %w", taskstore.ErrOvertaken)
	}
	if len(p.Replanned) > 0 {
		const sql = `update provisioning_task set replan = true where id = any($1::text[]::uuid[]) and not replan`
		if err := pg.Exec(ctx, tx, "mark tasks", sql, p.Replanned); err != nil {
			return err
		}
	}
	if len(p.Hastened) > 0 {
		const sql = `
			update provisioning_task
			   set lane = 'urgent', next_attempt_at = least(next_attempt_at, now()), updated_at = now(),
			       version = version + 1
			 where id = any($1::text[]::uuid[])
			   and lane <> 'urgent'`
		if err := pg.Exec(ctx, tx, "hasten tasks", sql, p.Hastened); err != nil {
			return err
		}
	}
	return nil
}

// mark writes what changes about rows that are there.
func mark(ctx context.Context, tx *pg.Tx, p *plan.Plan) error {
	if err := directoryaccount.MarkWanted(ctx, tx, p.WantedOf); err != nil {
		return err
	}
	for _, s := range p.Statuses {
		if err := directoryaccount.SetStatus(ctx, tx, s.ID, s.Status); err != nil {
			return err
		}
	}
	if err := directoryaccount.DiscardPending(ctx, tx, p.Forgotten); err != nil {
		return err
	}
	if err := grantstatus.MarkWanted(ctx, tx, p.Wanted); err != nil {
		return err
	}
	states := make([]grantstatus.State, len(p.GrantState))
	for i, s := range p.GrantState {
		states[i] = grantstatus.State{ID: s.ID, Status: s.Status}
	}
	if err := grantstatus.Set(ctx, tx, states); err != nil {
		return err
	}
	ends := make([]grantstatus.Limit, len(p.Limits))
	for i, l := range p.Limits {
		ends[i] = grantstatus.Limit(l)
	}
	return grantstatus.SetLimits(ctx, tx, ends)
}
