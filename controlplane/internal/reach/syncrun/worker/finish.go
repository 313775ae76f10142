package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/lease"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// enter notes that the run has come to a state and phase after the reading.
func (w *work) enter(ctx context.Context, status syncrun.Status, phase string) error {
	return w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error { return w.lease.Enter(ctx, tx, status, phase) })
}

// end ends a run that did not go well.
func (w *work) end(ctx context.Context, status syncrun.Status, cause *v1.ErrorDetail) error {
	return w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.write(ctx, tx, status, w.count, cause)
	})
}

// write makes the run's end, or its wait for a decision, true, with everything that depends on it, in the caller's
// transaction.
func (w *work) write(
	ctx context.Context,
	tx *pg.Tx,
	status syncrun.Status,
	t counters.PartCount,
	cause *v1.ErrorDetail,
) error {
	const sql = `
		update sync_run
		   set status = $5, phase = case when $5 = 'held' then 'evaluate' else 'finish' end, counters = $6, report = $7,
		       complete = $8, warnings = $9, error = $10, watermark = $11, executed_by = $12, estimate = $13,
		       finished_at = case when $5 <> 'held' then now() end,
		       round = round + case when $5 = 'held' then 1 else 0 end,
		           held_until = case when $5 = 'held' then held_until end,
		       updated_at = now(), lease_owner = null, lease_until = null, rate_wait_until = null, message = '',
		       failures = 0, lapsed = '{}', progress_seq = progress_seq + 1,
		       callback_state = case when callback_url is not null then 'pending' end, callback_attempts = 0,
		           callback_next_at = now()
		 where tenant_id = current_tenant()
		   and id = $1
		   and case when $4 then lease_owner is null or lease_until < now() else lease_owner = $2 and attempt = $3 end
		   and status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')`
	complete := w.shownComplete()
	if status == syncrun.Failed || status == syncrun.Cancelled {
		complete = encode(nothing(w.Complete))
	}
	tag, err := tx.Exec(
		ctx,
		sql,
		w.id,
		w.lease.Process,
		w.attempt,
		w.unleased,
		status,
		encode(t.Totals()),
		encode(t.Report),
		complete,
		w.shownWarnings(),
		encode(cause),
		w.Watermark,
		encode(w.executedBy),
		encode(w.Estimate),
	)
	if err != nil {
		return fmt.Errorf("end run: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return lease.ErrFenced
	}
	return w.consequences(ctx, tx, status, t, cause)
}

// nothing says of each kind that it was not read to its end: a run that broke off proves nothing.
func nothing(complete map[string]bool) map[string]bool {
	none := map[string]bool{}
	for kind := range complete {
		none[kind] = false
	}
	return none
}

// consequences are what others must know of how the run ended. A preview says nothing about the connector, and a held
// run nothing yet.
func (w *work) consequences(
	ctx context.Context,
	tx *pg.Tx,
	status syncrun.Status,
	t counters.PartCount,
	cause *v1.ErrorDetail,
) error {
	reason := ""
	if cause != nil {
		reason = cause.Message
	}
	well := status == syncrun.Succeeded || status == syncrun.Partial
	if well || status == syncrun.Failed && !w.preview {
		if err := connectorstate.Synced(ctx, tx, w.connector, w.id, well, reason); err != nil {
			return err
		}
	}
	if died(cause) && !w.preview {
		if err := connectorstate.Quarantine(ctx, tx, w.connector, w.id, reason); err != nil {
			return err
		}
	}
	if well {
		if _, err := tenant.Advance(ctx, tx, tenant.Connected); err != nil {
			return err
		}
	}
	if status == syncrun.Held {
		if err := w.tellHeld(ctx, tx); err != nil {
			return err
		}
	}
	outcome := audit.Success
	if status == syncrun.Failed || status == syncrun.Cancelled {
		outcome = audit.Failure
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "sync_run." + string(status),
		Outcome: outcome,
		Subject: audit.Subject{Type: "sync_run", ID: w.id, Display: w.target.BusinessID},
		Context: map[string]any{
			"run_id":       w.id,
			"connector_id": w.connector,
			"attempt":      w.attempt,
			"counters":     t.Totals(),
			"report":       t.Report,
		},
	})
}

// handBack leaves the run to the worker that takes it next; see Lease.HandBack.
func (w *work) handBack(ctx context.Context, pause time.Duration, innocent bool) error {
	return w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error { return w.lease.HandBack(ctx, tx, pause, innocent) })
}

// tellHeld publishes that the run waits for a decision.
func (w *work) tellHeld(ctx context.Context, tx *pg.Tx) error {
	return event.Publish(ctx, tx, event.Event{
		Kind: event.SyncHeld, Resource: event.Resource{Type: "sync_run", ID: w.id},
		Data: map[string]any{"connector_id": w.connector, "connector_business_id": w.target.BusinessID},
	})
}
