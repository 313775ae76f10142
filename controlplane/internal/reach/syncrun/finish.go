package syncrun

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// enter tells that the run has come to a state and phase after the reading.
func (w *work) enter(ctx context.Context, status Status, phase string) error {
	const sql = `
		update sync_run
		   set phase = $4, status = $5, progress_seq = progress_seq + 1, updated_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	return w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error {
		tag, err := tx.Exec(ctx, sql, w.id, w.s.process.String(), w.attempt, phase, status)
		if err != nil {
			return fmt.Errorf("enter %s: %w", phase, err)
		}
		if tag.RowsAffected() == 0 {
			return errFenced
		}
		return nil
	})
}

// ours is an error when another worker has the run. A long transaction begins with it, so that it is not done for
// nothing, and ends with a write that is refused to anybody else. It locks nothing: the lease must be renewed
// meanwhile.
func (w *work) ours(ctx context.Context, tx *pg.Tx) error {
	const sql = `select exists (select from sync_run where tenant_id = current_tenant() and id = $1
		and lease_owner = $2 and attempt = $3)`
	var are bool
	if err := tx.QueryRow(ctx, sql, w.id, w.s.process.String(), w.attempt).Scan(&are); err != nil {
		return fmt.Errorf("look at the lease: %w", err)
	}
	if !are {
		return errFenced
	}
	return nil
}

// end ends a run that did not go well.
func (w *work) end(ctx context.Context, status Status, cause *v1.ErrorDetail) error {
	return w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.write(ctx, tx, status, w.tally, cause)
	})
}

// write makes the run's end, or its wait for a decision, true, with everything that depends on it, in the caller's
// transaction.
func (w *work) write(ctx context.Context, tx *pg.Tx, status Status, t tally, cause *v1.ErrorDetail) error {
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
	if status == Failed || status == Cancelled {
		complete = encode(nothing(w.complete))
	}
	tag, err := tx.Exec(
		ctx,
		sql,
		w.id,
		w.s.process.String(),
		w.attempt,
		w.unleased,
		status,
		encode(t.shown()),
		encode(t.Report),
		complete,
		w.shownWarnings(),
		encode(cause),
		w.mark,
		encode(w.executedBy),
		encode(w.estimate),
	)
	if err != nil {
		return fmt.Errorf("end run: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errFenced
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
func (w *work) consequences(ctx context.Context, tx *pg.Tx, status Status, t tally, cause *v1.ErrorDetail) error {
	reason := ""
	if cause != nil {
		reason = cause.Message
	}
	well := status == Succeeded || status == Partial
	if well || status == Failed && !w.preview {
		if err := connector.Synced(ctx, tx, w.connector, w.id, well, reason); err != nil {
			return err
		}
	}
	if died(cause) && !w.preview {
		if err := connector.Quarantine(ctx, tx, w.connector, w.id, reason); err != nil {
			return err
		}
	}
	if well {
		if _, err := tenant.Advance(ctx, tx, tenant.Connected); err != nil {
			return err
		}
	}
	if status == Held {
		if err := w.tellHeld(ctx, tx); err != nil {
			return err
		}
	}
	outcome := audit.Success
	if status == Failed || status == Cancelled {
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
			"counters":     t.shown(),
			"report":       t.Report,
		},
	})
}

// handBack leaves the run to whoever takes it next, after a pause. innocent is true when the attempt ended for no fault
// of its own.
func (w *work) handBack(ctx context.Context, pause time.Duration, innocent bool) error {
	return w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set status = 'queued', phase = 'dispatch', lease_owner = null, lease_until = now() + $4::interval,
			       failures = failures - case when $5 then least(failures, 1) else 0 end, rate_wait_until = null,
			       message = '', progress_seq = progress_seq + 1, updated_at = now()
			 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
		if _, err := tx.Exec(ctx, sql, w.id, w.s.process.String(), w.attempt, pause.String(), innocent); err != nil {
			return err
		}
		return pg.Notify(ctx, tx, channel, w.id)
	})
}
