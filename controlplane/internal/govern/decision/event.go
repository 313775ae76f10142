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

// DecisionEvent is something that happened to a task.
type DecisionEvent struct {
	At     time.Time `json:"at" db:"at"`
	Event  string    `json:"event" db:"event" doc:"asked, refreshed, assigned, delegated, returned, reassigned, escalated, fallback, claimed, released, reminded, commented, decided, deferred, applied, refused, undone, expired, cancelled, superseded, left. More may come."`
	By     Actor     `json:"by" db:"by"`
	Detail string    `json:"detail" db:"detail" doc:"In words."`
}

// DecisionComment is what somebody said about a task.
type DecisionComment struct {
	At   time.Time `json:"at"`
	By   Actor     `json:"by"`
	Text string    `json:"text"`
}

// happened is an event that is to be kept.
type happened struct{ task, event, detail string }

// all is one event of several tasks.
func all(event, detail string, tasks []string) []happened {
	events := make([]happened, len(tasks))
	for i, id := range tasks {
		events[i] = happened{id, event, detail}
	}
	return events
}

// note keeps events, as done by the transaction's viewer.
func note(ctx context.Context, tx *pg.Tx, events []happened) error {
	const sql = `
		insert into decision_event (tenant_id, task_id, event, by, detail)
		select current_tenant(), u.task_id::uuid, u.event, @by, u.detail
		  from unnest(@tasks::text[], @events::text[], @details::text[]) with ordinality u (task_id, event, detail, n)
		 order by u.n`
	if len(events) == 0 {
		return nil
	}
	tasks, names, details := make([]string, len(events)), make([]string, len(events)), make([]string, len(events))
	for i, e := range events {
		tasks[i], names[i], details[i] = e.task, e.event, e.detail
	}
	args := pgx.NamedArgs{"by": ActorOf(tx.Viewer), "tasks": tasks, "events": names, "details": details}
	if _, err := tx.Exec(ctx, sql, args); err != nil {
		return fmt.Errorf("note what happened to tasks: %w", err)
	}
	return nil
}

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
	return note(ctx, tx, all("reminded", detail, []string{taskID}))
}

// Close ends the open tasks of a kind with these keys, which need no decision any more, and says how many. state is
// Expired, Cancelled or Superseded. A decision that could still be undone is dropped.
func Close(ctx context.Context, tx *pg.Tx, kind string, keys []string, state, why string) (int, error) {
	const sql = `
		update decision_task
		   set state = @state, closed_reason = @why, claimed_by = null, claimed_at = null, decision = null,
		       decided_at = null, apply_at = null,
		       updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and kind = @kind
		   and key = any(@keys)
		   and (state in ('open', 'claimed') or apply_at is not null)
		returning id::text`
	if len(keys) == 0 {
		return 0, nil
	}
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"state": state, "why": why, "kind": kind, "keys": keys})
	if err != nil {
		return 0, fmt.Errorf("close tasks: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("close tasks: %w", err)
	}
	if err := follow(ctx, tx, ids); err != nil {
		return 0, err
	}
	return len(ids), note(ctx, tx, all(state, why, ids))
}

// follow tells the inboxes of tasks' people whether they still wait.
func follow(ctx context.Context, tx *pg.Tx, ids []string) error {
	const sql = `
		update decision_assignee a
		   set open = not a.open
		  from decision_task t
		 where a.tenant_id = current_tenant()
		   and a.task_id = any(@ids::text[]::uuid[])
		   and t.tenant_id = current_tenant()
		   and t.id = a.task_id
		   and a.open <> (t.state in ('open', 'claimed'))`
	if len(ids) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"ids": ids}); err != nil {
		return fmt.Errorf("follow tasks: %w", err)
	}
	return nil
}
