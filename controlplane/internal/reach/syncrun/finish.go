package syncrun

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// conclude draws what follows from all records together, and ends the run well.
func (w *work) conclude(ctx context.Context) error {
	if err := w.resolveLate(ctx); err != nil {
		return err
	}
	return w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		if err := w.stillOurs(ctx, tx, "evaluate"); err != nil {
			return err
		}
		if _, err := directory.ResolveManagers(ctx, tx); err != nil {
			return err
		}
		linked, err := correlate(ctx, tx, w.connector)
		if err != nil {
			return err
		}
		if _, err := access.ExpandInherited(ctx, tx, w.connector); err != nil {
			return err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.counters.Linked = linked
		if err := w.countExactly(ctx, tx); err != nil {
			return err
		}
		status := Succeeded
		if w.capped || w.counters.Skipped > 0 {
			status = Partial
		}
		return w.write(ctx, tx, status, nil)
	})
}

// resolveLate gives grants whose account or group came later in the run a second look, and counts those that stay open.
func (w *work) resolveLate(ctx context.Context) error {
	if w.counters.GrantsRecorded == 0 {
		return nil
	}
	all := span{w.id, w.connector, 1, w.seq}
	var open int64
	look := func(tx *pg.Tx) (err error) {
		open, err = unresolved(ctx, tx, all, false)
		return err
	}
	if err := w.s.DB.AsBulk(ctx, w.v, look); err != nil || open == 0 {
		return err
	}
	if err := w.remergeGrants(ctx); err != nil {
		return err
	}
	return w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) (err error) {
		w.counters.Unresolved, err = unresolved(ctx, tx, all, true)
		return err
	})
}

// countExactly replaces the running counters by what was really read: a source that pages without a stable order may send a
// record twice.
func (w *work) countExactly(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select (select count(distinct external_id) from stage_identity where tenant_id = current_tenant() and run_id = $1),
		       (select count(distinct external_id) from stage_account where tenant_id = current_tenant() and run_id = $1),
		       (select count(distinct external_id) from stage_entitlement where tenant_id = current_tenant() and run_id = $1),
		       (select count(*) from access_grant where tenant_id = current_tenant() and connector_id = $2 and directness = 'inherited')`
	c := &w.counters
	if err := tx.QueryRow(ctx, sql, w.id, w.connector).Scan(&c.IdentitiesRead, &c.AccountsDiscovered, &c.EntitlementsMapped, &c.Inherited); err != nil {
		return fmt.Errorf("count what was read: %w", err)
	}
	return nil
}

// enter tells that the run has come to a phase after the reading.
func (w *work) enter(ctx context.Context, phase string) error {
	return w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error { return w.stillOurs(ctx, tx, phase) })
}

func (w *work) stillOurs(ctx context.Context, tx *pg.Tx, phase string) error {
	const sql = `
		update sync_run
		   set phase = $4, status = 'applying', progress_seq = progress_seq + 1, updated_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	tag, err := tx.Exec(ctx, sql, w.id, w.s.process.String(), w.attempt, phase)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errFenced
	}
	return nil
}

// end ends a run that did not go well.
func (w *work) end(ctx context.Context, status Status, cause *v1.ErrorDetail) error {
	return w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.write(ctx, tx, status, cause)
	})
}

// write makes the run's end true, with everything that depends on it, in the caller's transaction.
func (w *work) write(ctx context.Context, tx *pg.Tx, status Status, cause *v1.ErrorDetail) error {
	const sql = `
		update sync_run
		   set status = $5, phase = 'finish', counters = $6, complete = $7, warnings = $8, error = $9, watermark = $10, executed_by = $11,
		       estimate = $12, finished_at = now(), updated_at = now(), lease_owner = null, lease_until = null,
		       progress_seq = progress_seq + 1,
		       callback_state = case when callback_url is not null then 'pending' end, callback_next_at = now()
		 where tenant_id = current_tenant()
		   and id = $1
		   and case when $4 then lease_owner is null or lease_until < now() else lease_owner = $2 and attempt = $3 end
		   and status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')`
	warnings := w.warnings
	if warnings == nil {
		warnings = []v1.Warning{}
	}
	complete := w.complete
	if complete == nil {
		complete = map[string]bool{}
	}
	tag, err := tx.Exec(ctx, sql, w.id, w.s.process.String(), w.attempt, w.unleased, status, encode(w.counters), encode(complete),
		encode(warnings), encode(cause), w.mark, encode(w.executedBy), encode(w.estimate))
	if err != nil {
		return fmt.Errorf("end run: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errFenced
	}
	return w.consequences(ctx, tx, status, cause)
}

func (w *work) consequences(ctx context.Context, tx *pg.Tx, status Status, cause *v1.ErrorDetail) error {
	reason := ""
	if cause != nil {
		reason = cause.Message
	}
	well := status == Succeeded || status == Partial
	if status != Cancelled {
		if err := connector.Synced(ctx, tx, w.connector, w.id, well, reason); err != nil {
			return err
		}
	}
	if well {
		if _, err := tenant.Advance(ctx, tx, tenant.Connected); err != nil {
			return err
		}
	}
	outcome := audit.Success
	if !well {
		outcome = audit.Failure
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action: "sync_run." + string(status), Outcome: outcome,
		Subject: audit.Subject{Type: "sync_run", ID: w.id, Display: w.target.BusinessID},
		Context: map[string]any{"run_id": w.id, "connector_id": w.connector, "attempt": w.attempt, "counters": w.counters},
	})
}

// handBack leaves the run to whoever takes it next, after a pause.
func (w *work) handBack(ctx context.Context, pause time.Duration) error {
	return w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set status = 'queued', phase = 'dispatch', lease_owner = null, lease_until = now() + $4::interval,
			       progress_seq = progress_seq + 1, updated_at = now()
			 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
		if _, err := tx.Exec(ctx, sql, w.id, w.s.process.String(), w.attempt, pause.String()); err != nil {
			return err
		}
		return pg.Notify(ctx, tx, channel, w.id)
	})
}
