package decision

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Remind notes that the assignees of an open task were reminded: in its history, at the task, and by an event.
func Remind(ctx context.Context, tx *pg.Tx, taskID, detail string) error {
	const sql = `
		update decision_task
		   set reminded_at = now(), updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = @id
		   and state in ('open', 'claimed')
		returning kind, due_at,
		          array(select a.identity_id::text
		                  from decision_assignee a
		                 where a.tenant_id = current_tenant() and a.task_id = @id and a.dropped_at is null
		                 order by 1)`
	var kind string
	var due *time.Time
	var people []string
	switch err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": taskID}).Scan(&kind, &due, &people); {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("remind of a task: %w", err)
	}
	told := event.Event{Kind: event.TaskReminded, Resource: event.Resource{Type: "decision_task", ID: taskID},
		Data: map[string]any{"kind": kind, "due_at": due, "assignee_ids": people}}
	if err := event.Publish(ctx, tx, told); err != nil {
		return err
	}
	return AddHistory(ctx, tx, EntriesFor("reminded", detail, []string{taskID}))
}

// RemindOf reminds of the open task of a kind about what has a key. Without such a task it does nothing.
func RemindOf(ctx context.Context, tx *pg.Tx, kind, key, detail string) error {
	const sql = `
		select t.id::text
		  from decision_task t
		 where t.tenant_id = current_tenant()
		   and t.kind = $1
		   and t.key = $2
		   and t.state in ('open', 'claimed')`
	ids, err := pg.All[string](ctx, tx, "find task to remind of", sql, kind, key)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := Remind(ctx, tx, id, detail); err != nil {
			return err
		}
	}
	return nil
}
