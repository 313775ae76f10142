package decision

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// HistoryEntry is something that happened to a task, for its history.
type HistoryEntry struct {
	TaskID string
	Event  string // of DecisionEvent.Event
	Detail string // in words
}

// EntriesFor is one entry for each of several tasks.
func EntriesFor(event, detail string, tasks []string) []HistoryEntry {
	events := make([]HistoryEntry, len(tasks))
	for i, id := range tasks {
		events[i] = HistoryEntry{TaskID: id, Event: event, Detail: detail}
	}
	return events
}

// AddHistory adds entries to the histories of tasks, as done by the transaction's viewer.
func AddHistory(ctx context.Context, tx *pg.Tx, events []HistoryEntry) error {
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
		tasks[i], names[i], details[i] = e.TaskID, e.Event, e.Detail
	}
	args := pgx.NamedArgs{"by": ActorOf(tx.Viewer), "tasks": tasks, "events": names, "details": details}
	return pg.Exec(ctx, tx, "note what happened to tasks", sql, args)
}
