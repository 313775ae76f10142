package order

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
)

// Cancel cancels a task within a transaction, with all that waits for it.
func Cancel(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch) error {
	return change(ctx, tx, id, "cancel", match, audit.Entry{}, func(t stored) error {
		if t.Unsure && t.State != task.Failed {
			return fault.Coded(fault.Conflict, "invalid_transition", "the result of the last attempt is unknown: the "+
				"target is checked first").
				Also("allowed", []string{"retry"})
		}
		if t.Unsure && t.Operation == task.Grant {
			return undo(ctx, tx, t)
		}
		return drop(ctx, tx, t)
	})
}

// undo replaces a grant of which it is unknown whether it was made by its revocation.
func undo(ctx context.Context, tx *pg.Tx, t stored) error {
	id, err := Place(
		ctx,
		tx,
		Order{Operation: task.Revoke, GrantID: *t.GrantID, Note: "the grant was cancelled and may have been made"},
	)
	if err == nil {
		_, err = tx.Exec(
			ctx,
			`update provisioning_task set note = coalesce(note || '; ', '') || $2 where id = $1`,
			t.ID,
			"task "+id+" revokes what may have been granted",
		)
	}
	return err
}

// drop cancels a task with all that waits for it. Accounts and grants are again as the target has them.
func drop(ctx context.Context, tx *pg.Tx, t stored) error {
	const dependents = `
		with recursive waiting as (
		    select $1::uuid as id
		     union
		    select d.id
		      from waiting w
		      join provisioning_task d on d.depends_on @> array[w.id] and d.state in ('blocked', 'manual', 'queued',
		          'failed')
		)
		select t.id::text, t.operation, t.account_id::text, t.grant_id::text, coalesce(g.status, ''),
		    coalesce(t.payload ->> 'before', '')
		  from waiting w
		  join provisioning_task t on t.id = w.id
		  left join access_grant g on g.tenant_id = t.tenant_id and g.id = t.grant_id`
	if err := pg.Exec(
		ctx,
		tx,
		"cancel task",
		`update provisioning_task set unsure = false where id = $1`,
		t.ID,
	); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, dependents, t.ID)
	if err != nil {
		return fmt.Errorf("find what waits: %w", err)
	}
	type one struct {
		ID, Operation  string
		Account, Grant *string
		Status, Before string // of the grant: now, and when its revocation was ordered
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[one])
	if err != nil {
		return fmt.Errorf("find what waits: %w", err)
	}
	var back []task.Cancellation
	var states []grantstatus.State
	var unmade []string
	for _, d := range all {
		why := "a person cancelled it"
		if d.ID != t.ID {
			why = "what it waited for was cancelled"
		}
		back = append(back, task.Cancellation{ID: d.ID, Why: why})
		switch {
		case d.Operation == task.Grant && slices.Contains([]string{"pending", "requested", "failed"}, d.Status):
			states = append(states, grantstatus.State{ID: *d.Grant, Status: "revoked"})
		case d.Operation == task.Revoke && d.Status == "revoking":
			states = append(states, grantstatus.State{ID: *d.Grant, Status: cmp.Or(d.Before, "active")})
		case d.Operation == task.CreateAccount && d.Account != nil:
			unmade = append(unmade, *d.Account)
		case d.Operation == task.DeleteAccount && d.Account != nil:
			const undo = `update account set status = case when is_disabled then 'disabled' else 'active' end,
				updated_at = now(), version = version + 1 where id = $1 and status = 'deprovisioning'`
			if err := pg.Exec(ctx, tx, "take back a deletion", undo, *d.Account); err != nil {
				return err
			}
		}
	}
	if _, _, err := taskstore.Withdraw(ctx, tx, back); err != nil {
		return err
	}
	if err := directoryaccount.DiscardPending(ctx, tx, unmade); err != nil {
		return err
	}
	return grantstatus.Set(ctx, tx, states)
}
