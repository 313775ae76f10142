package order

import (
	"context"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
)

// clear makes way for an order: it gives the opposites that are pending, in whose place it comes. What is under way
// already, and the opposite that is being sent, are conflicts.
func (t subject) clear(ctx context.Context, tx *pg.Tx, o Order) (replaces []string, err error) {
	const sql = `
		select id::text, operation, state, unsure
		  from provisioning_task
		 where account_id = $1
		   and mode <> 'simulate'
		   and state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual')
		   and case when $4 <> '' then grant_id::text = $4
		            else grant_id is null and (operation = $2 or $3
		                and operation in ('create_account', 'enable', 'disable', 'delete_account')) end
		   for update`
	var other task.Open
	var others []task.Open
	if err := pg.Each(
		ctx,
		tx,
		"find open tasks",
		[]any{&other.ID, &other.Operation, &other.State, &other.Unsure},
		func() error {
			others = append(others, other)
			return nil
		},
		sql,
		t.ID,
		o.Operation,
		task.IsAboutAccount(o.Operation),
		strings.ToLower(o.GrantID),
	); err != nil {
		return nil, err
	}
	return overtakes(o, others)
}

// overtakes are the open tasks in whose place an order comes. It is a conflict where the same is under way, or the
// opposite is being sent.
func overtakes(o Order, others []task.Open) (replaces []string, err error) {
	for _, other := range others {
		switch {
		case other.Operation == o.Operation:
			return nil, taskOpen(
				other.ID,
				"The same change is open already; task_id names its task. Wait until it has ended, or cancel it.",
			)
		case other.Stage() == task.InFlight:
			return nil, taskOpen(other.ID, "the opposite change is being sent now; try again when it has ended")
		}
		replaces = append(replaces, other.ID)
	}
	return replaces, nil
}

func taskOpen(id, why string) error {
	return fault.Coded(fault.Conflict, "task_open", "%s", why).Also("task_id", id)
}
