package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

type changeIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

// stored is a task that a user acts upon.
type stored struct {
	ID, Operation, State, Mode, ConnectorID string
	AccountID, GrantID                      *string
	Unsure, Connected                       bool
	Version                                 int
	Payload                                 task.Payload
}

// lock reads a task for a change, which the viewer must be able to see and which its state must allow.
func lock(ctx context.Context, tx *pg.Tx, id, action string, match httpapi.IfMatch) (t stored, err error) {
	if _, err := taskview.Find(ctx, tx, id); err != nil {
		return t, err
	}
	const sql = `
		select t.id::text, t.operation, t.state, t.mode, t.connector_id::text, t.account_id::text, t.grant_id::text,
		       t.unsure, ` + taskview.ConnectedSQL + `, t.version, t.payload
		  from provisioning_task t where t.id = $1 for update`
	if err := tx.QueryRow(ctx, sql, id).
		Scan(&t.ID, &t.Operation, &t.State, &t.Mode, &t.ConnectorID, &t.AccountID, &t.GrantID, &t.Unsure, &t.Connected,
			&t.Version, &t.Payload); err != nil {
		return t, fmt.Errorf("find task: %w", err)
	}
	if err := match.Check(t.Version); err != nil {
		return t, err
	}
	if !t.Connected {
		return t, fault.Coded(
			fault.Conflict,
			"connector_not_ready",
			"The connector of this task is deleted. Restore the connector first.",
		).Also("allowed", []string{})
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
	e := taskstore.AuditEntry(
		audited.Action,
		audit.Success,
		t.ID,
		t.Operation,
		task.TextOf(t.AccountID),
		t.ConnectorID,
		nil,
	)
	e.Reason = audited.Reason
	return audit.Record(ctx, tx, e)
}

// changed does something with a task in a transaction, and shows the task.
func (s *Service) changed(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	do func(tx *pg.Tx) error,
) (out *taskview.TaskOut, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		out, err = taskview.ReadTask(ctx, tx, id)
		return err
	})
	return out, err
}

func (s *Service) cancel(ctx context.Context, v viewer.Viewer, in *changeIn) (*taskview.TaskOut, error) {
	return s.changed(ctx, v, in.ID, func(tx *pg.Tx) error { return Cancel(ctx, tx, in.ID, in.IfMatch) })
}

// transitions are what may be done with a task in each of its states.
var transitions = map[string][]string{
	task.Queued: {
		"cancel",
	},
	task.Blocked:  {"cancel"},
	task.Retrying: {"retry", "cancel"},
	task.Failed:   {"retry", "complete", "cancel"},
	task.Manual:   {"complete", "cancel"},
}

func may(state, action string) bool { return slices.Contains(transitions[state], action) }
