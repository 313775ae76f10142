package syncrun

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// cancelRun is POST …/cancel. It marks the run; the process that works on it ends it at its next
// step. A run that has ended cannot be cancelled, and one that is held is released or discarded
// instead.
func (s *Service) cancelRun(ctx context.Context, v viewer.Viewer, in *runIn) (*runOut, error) {
	var run Run
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if run, err = Find(ctx, tx, in.ID, in.RunID); err != nil {
			return err
		}
		if run.Status.Ended() {
			return fault.Coded(fault.Conflict, "invalid_transition", "the run is %s already", run.Status).
				Also("allowed", []string{})
		}
		if run.Status == Held {
			return fault.Coded(fault.Conflict, "invalid_transition", "the run is held; release what it holds, or "+
				"discard it").
				Also("allowed", []string{"release", "discard"})
		}
		if err := askToCancel(ctx, tx, in.RunID); err != nil {
			return err
		}
		if err := audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "sync_run.cancel_requested", Subject: audit.Subject{Type: "sync_run", ID: in.RunID},
				Context: map[string]any{"connector_id": in.ID}},
		); err != nil {
			return err
		}
		run, err = Find(ctx, tx, in.ID, in.RunID)
		return err
	})
	return &runOut{run}, err
}

// askToCancel ends a run without a worker at once, and notifies the worker of any other.
func askToCancel(ctx context.Context, tx *pg.Tx, run string) error {
	const idle = `
		update sync_run
		   set status = 'cancelled', phase = 'finish', finished_at = now(), updated_at = now(),
		     progress_seq = progress_seq + 1, lease_until = null,
		       callback_state = case when callback_url is not null then 'pending' end, callback_next_at = now(),
		       error = '{"class": "cancelled", "code": "cancelled", "retryable": false,
		                "message": "the run was cancelled; what had been merged stays"}'
		 where id = $1
		   and status in ('queued', 'waiting_agent')
		   and lease_owner is null`
	const busy = `
		update sync_run
		   set cancel_requested = true, updated_at = now()
		 where id = $1
		   and status in ('queued', 'running', 'evaluating', 'applying')`
	batch := &pgx.Batch{}
	batch.Queue(idle, run)
	batch.Queue(busy, run)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("cancel run: %w", err)
	}
	return pg.Notify(ctx, tx, Channel, run)
}

// CancelAll cancels every run of the transaction's tenant that has not ended. What is held stays as it is: no worker is
// on it.
func CancelAll(ctx context.Context, tx *pg.Tx) error { return cancel(ctx, tx, nil) }

// CancelOf cancels the run of a connector that has not ended, if there is one. What is held stays as it is.
func CancelOf(ctx context.Context, tx *pg.Tx, connector string) error {
	return cancel(ctx, tx, &connector)
}

// cancel marks the active runs of a connector, or of all connectors, as part of the caller's
// transaction: of the deletion of a connector, or the suspension of a tenant.
func cancel(ctx context.Context, tx *pg.Tx, connector *string) error {
	const sql = `
		select id::text
		  from sync_run
		 where tenant_id = current_tenant()
		   and ($1::uuid is null or connector_id = $1)
		   and status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')`
	runs, err := pg.All[string](ctx, tx, "find runs to cancel", sql, connector)
	if err != nil {
		return err
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
