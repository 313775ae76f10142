package taskstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// replaced is why a task was cancelled in whose place another one was written.
const replaced = "another change takes its place"

// Replace cancels the tasks in whose place others come, also those of which it is unknown whether they were made: what
// comes instead says how the target is to be in the end.
func Replace(ctx context.Context, tx *pg.Tx, tasks []task.Draft) error {
	var old []task.Cancellation
	for _, d := range tasks {
		for _, id := range d.Replaces {
			old = append(old, task.Cancellation{ID: id, Why: replaced})
		}
	}
	_, sent, err := CancelUnsent(ctx, tx, old, true)
	if err == nil && len(sent) > 0 {
		return fmt.Errorf("replace tasks: %w", ErrOvertaken)
	}
	return err
}

// ErrOvertaken says that a worker has sent what the plan wanted to take back.
var ErrOvertaken = fmt.Errorf("a task was sent while it was to be canceled: %w", queue.ErrOvertaken)

// isTaken says that a row could not be written because of one that is there.
func isTaken(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "23505"
}

// Withdraw cancels tasks that have not been sent, and gives those that have been.
func Withdraw(ctx context.Context, tx *pg.Tx, tasks []task.Cancellation) (cancelled, sent []string, err error) {
	return CancelUnsent(ctx, tx, tasks, false)
}

// CancelUnsent cancels tasks that are not being sent, and gives those that are. Tasks that may have been made are
// cancelled where doubt is allowed alone.
func CancelUnsent(
	ctx context.Context,
	tx *pg.Tx,
	tasks []task.Cancellation,
	doubt bool,
) (cancelled, sent []string, err error) {
	if len(tasks) == 0 {
		return nil, nil, nil
	}
	const sql = `
		update provisioning_task t
		   set state = 'cancelled', outcome = 'cancelled', note = coalesce(t.note || '; ', '') || r.why, unsure = false,
		       finished_at = now(),
		       updated_at = now(), version = version + 1
		  from jsonb_to_recordset($1::jsonb) r (id uuid, why text)
		 where t.id = r.id
		   and t.state in ('queued', 'blocked', 'retrying', 'failed', 'manual')
		   and ($2 or not t.unsure)
		returning t.id::text, t.operation, coalesce(t.account_id::text, ''), t.connector_id::text, r.why`
	text, err := json.Marshal(tasks)
	if err != nil {
		return nil, nil, err
	}
	var id, operation, account, connector, why string
	var entries []audit.Entry
	if err := pg.Each(ctx, tx, "cancel tasks", []any{&id, &operation, &account, &connector, &why}, func() error {
		cancelled = append(cancelled, id)
		entries = append(
			entries,
			AuditEntry(
				"provisioning.cancelled",
				audit.Success,
				id,
				operation,
				account,
				connector,
				map[string]any{"why": why},
			),
		)
		return nil
	}, sql, string(text), doubt); err != nil {
		return nil, nil, err
	}
	for _, t := range tasks {
		if !slices.Contains(cancelled, t.ID) {
			sent = append(sent, t.ID)
		}
	}
	return cancelled, sent, audit.RecordAll(ctx, tx, entries)
}

// AuditEntry is the audit entry of something that happened to a task. account may be empty.
func AuditEntry(
	action string,
	outcome audit.Outcome,
	id, operation, account, connector string,
	more map[string]any,
) audit.Entry {
	e := audit.Entry{
		Action:  action,
		Outcome: outcome,
		Subject: audit.Subject{Type: "provisioning_task", ID: id, Display: operation},
		Context: more,
	}
	if account != "" {
		e.Objects = append(e.Objects, audit.Subject{Type: "account", ID: account})
	}
	e.Objects = append(e.Objects, audit.Subject{Type: "connector", ID: connector})
	return e
}
