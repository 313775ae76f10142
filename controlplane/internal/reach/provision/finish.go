package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
)

type changeIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

type completeIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body Completed
}

// Completed is what somebody says who has made a change by hand.
type Completed struct {
	Note string `json:"note" minLength:"1" maxLength:"2000" doc:"What was done. It is kept with the task, and goes into the audit log."`
}

// stored is a task that somebody acts upon.
type stored struct {
	ID, Operation, State, Mode, ConnectorID string
	AccountID, GrantID                      *string
	Unsure                                  bool
	Version                                 int
	Payload                                 task.Payload
}

// lock reads a task for a change, which the viewer must be able to see and which its state must allow.
func lock(ctx context.Context, tx *pg.Tx, id, action string, match httpapi.IfMatch) (t stored, err error) {
	if _, err := Find(ctx, tx, id); err != nil {
		return t, err
	}
	const sql = `
		select id::text, operation, state, mode, connector_id::text, account_id::text, grant_id::text, unsure, version,
		    payload
		  from provisioning_task where id = $1 for update`
	if err := tx.QueryRow(ctx, sql, id).
		Scan(&t.ID, &t.Operation, &t.State, &t.Mode, &t.ConnectorID, &t.AccountID, &t.GrantID, &t.Unsure, &t.Version,
			&t.Payload); err != nil {
		return t, fmt.Errorf("find task: %w", err)
	}
	if err := match.Check(t.Version); err != nil {
		return t, err
	}
	if !may(t.State, action) {
		names := append([]string{}, transitions[t.State]...)
		return t, fault.Coded(fault.Conflict, "invalid_transition", "the task is %s", t.State).Also("allowed", names)
	}
	return t, nil
}

// change acts upon a task.
func change(
	ctx context.Context,
	tx *pg.Tx,
	id, action string,
	match httpapi.IfMatch,
	audited audit.Entry,
	do func(t stored) error,
) error {
	t, err := lock(ctx, tx, id, action, match)
	if err != nil {
		return err
	}
	if err := do(t); err != nil {
		return err
	}
	if audited.Action == "" {
		return nil
	}
	e := ended(audited.Action, audit.Success, t.ID, t.Operation, orEmpty(t.AccountID), t.ConnectorID, nil)
	e.Reason = audited.Reason
	return audit.Record(ctx, tx, e)
}

// changed does something with a task in a transaction, and shows the task.
func (s *Service) changed(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	do func(tx *pg.Tx) error,
) (out *taskOut, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		out, err = shownTask(ctx, tx, id)
		return err
	})
	return out, err
}

func (s *Service) complete(ctx context.Context, v viewer.Viewer, in *completeIn) (*taskOut, error) {
	return s.changed(
		ctx,
		v,
		in.ID,
		func(tx *pg.Tx) error { return s.Complete(ctx, tx, in.ID, in.IfMatch, in.Body.Note) },
	)
}

// Complete writes within a transaction that somebody has made a task's change in the target.
func (s *Service) Complete(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch, note string) error {
	audited := audit.Entry{Action: "provisioning.completed", Reason: note}
	return change(ctx, tx, id, "complete", match, audited, func(t stored) error { return s.byHand(ctx, tx, t, note) })
}

// byHand writes that somebody has made a change in the target.
func (s *Service) byHand(ctx context.Context, tx *pg.Tx, t stored, note string) error {
	o := outcome{
		job: job{
			ID:        t.ID,
			Operation: t.Operation,
			AccountID: t.AccountID,
			GrantID:   t.GrantID,
			Payload:   t.Payload,
			Mode:      task.ModeAuto,
		},
		state:  task.Done,
		result: "completed",
	}
	if t.Operation == task.CreateAccount {
		o.state = task.Verifying // its key in the target is not known
	}
	const sql = `
		update provisioning_task
		   set state = $2, outcome = 'completed', verified = case when $2 = 'done' then 'yes' else 'pending' end,
		       verified_by = 'human', verified_at = now(), note = coalesce(note || '; ', '') || $3, unsure = false,
		           error = null, error_class = null, advice = null, finished_at = now(), updated_at = now(),
		           version = version + 1
		 where id = $1`
	if _, err := tx.Exec(ctx, sql, t.ID, o.state, note); err != nil {
		return fmt.Errorf("complete task: %w", err)
	}
	if t.Operation == task.CreateAccount && t.AccountID != nil {
		if err := directoryaccount.SetStatus(ctx, tx, *t.AccountID, "provisioning"); err != nil {
			return err
		}
	}
	l := &lane{s: s}
	if err := l.apply(ctx, tx, []outcome{o}); err != nil {
		return err
	}
	if err := follow(ctx, tx, []outcome{o}); err != nil {
		return err
	}
	return pg.Notify(ctx, tx, channel, tx.Viewer.Tenant)
}

func (s *Service) cancel(ctx context.Context, v viewer.Viewer, in *changeIn) (*taskOut, error) {
	return s.changed(ctx, v, in.ID, func(tx *pg.Tx) error { return Cancel(ctx, tx, in.ID, in.IfMatch) })
}

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

// undo replaces a grant of which nobody knows whether it was made by its revocation.
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
	if _, err := tx.Exec(ctx, `update provisioning_task set unsure = false where id = $1`, t.ID); err != nil {
		return fmt.Errorf("cancel task: %w", err)
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
	var back []ending
	var states []grantstatus.State
	var unmade []string
	for _, d := range all {
		why := "a person cancelled it"
		if d.ID != t.ID {
			why = "what it waited for was cancelled"
		}
		back = append(back, ending{d.ID, why})
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
			if _, err := tx.Exec(ctx, undo, *d.Account); err != nil {
				return fmt.Errorf("take back a deletion: %w", err)
			}
		}
	}
	if _, _, err := withdraw(ctx, tx, back); err != nil {
		return err
	}
	if err := directoryaccount.DiscardPending(ctx, tx, unmade); err != nil {
		return err
	}
	return grantstatus.Set(ctx, tx, states)
}

func connectorName(ctx context.Context, tx *pg.Tx, id string) (name string, err error) {
	err = tx.QueryRow(ctx, `select business_id from connector where id::text = lower($1) and deleted_at is null`, id).
		Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.New(fault.NotFound, "there is no connector %s", id)
	}
	if err != nil {
		return "", fmt.Errorf("find connector: %w", err)
	}
	return name, nil
}
