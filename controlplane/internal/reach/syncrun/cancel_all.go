package syncrun

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// CancelAll cancels every run of the transaction's tenant that has not ended. What is held stays as it is: nobody works
// on it.
func CancelAll(ctx context.Context, tx *pg.Tx) error { return cancel(ctx, tx, nil) }

// CancelOf cancels the run of a connector that has not ended, if there is one. What is held stays as it is.
func CancelOf(ctx context.Context, tx *pg.Tx, connector string) error {
	return cancel(ctx, tx, &connector)
}

func cancel(ctx context.Context, tx *pg.Tx, connector *string) error {
	const sql = `
		select id::text
		  from sync_run
		 where tenant_id = current_tenant()
		   and ($1::uuid is null or connector_id = $1)
		   and status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')`
	rows, err := tx.Query(ctx, sql, connector)
	if err != nil {
		return fmt.Errorf("find runs to cancel: %w", err)
	}
	runs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("find runs to cancel: %w", err)
	}
	for _, run := range runs {
		if err := askToCancel(ctx, tx, run); err != nil {
			return err
		}
		entry := audit.Entry{Action: "sync_run.cancel_requested", Subject: audit.Subject{Type: "sync_run", ID: run}}
		if err := audit.Record(ctx, tx, entry); err != nil {
			return err
		}
	}
	return nil
}
