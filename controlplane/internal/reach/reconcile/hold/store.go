package hold

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// List lists what a run holds, or held.
func List(ctx context.Context, tx *pg.Tx, run string) ([]reconcile.Hold, error) {
	const sql = `
		select h.id, h.kind, h.rule, h.allowed, h.observed, h.recent, h.population, h.cause, h.state, h.expires_at,
		       encode(h.digest, 'hex') as digest, (select count(*) from sync_change c where c.tenant_id = h.tenant_id
		       and c.run_id = h.run_id and c.state = 'held' and c.guard = h.kind) as held, h.decided_at, h.decided_by,
		           h.comment
		  from sync_hold h
		 where h.tenant_id = current_tenant() and h.run_id = $1
		 order by h.created_at, h.kind`
	holds, err := pg.All[reconcile.Hold](ctx, tx, "list holds", sql, run)
	if err != nil {
		return nil, err
	}
	if holds == nil {
		holds = []reconcile.Hold{}
	}
	return holds, nil
}

// Digest is the digest of what a run holds at this moment, in hexadecimal, with how many changes it covers.
func Digest(ctx context.Context, tx *pg.Tx, run string) (digest string, n int64, err error) {
	sql := `
		select encode(` + reconcile.DigestSQL + `, 'hex'), count(*)
		  from sync_change c
		 where c.tenant_id = current_tenant() and c.run_id = $1 and c.state = 'held'`
	if err := tx.QueryRow(ctx, sql, run).Scan(&digest, &n); err != nil {
		return "", 0, fmt.Errorf("digest of held changes: %w", err)
	}
	return digest, n, nil
}

// mayDecide locks a run and is a fault unless it is held.
func mayDecide(ctx context.Context, tx *pg.Tx, connector, run string) error {
	o, err := reconcile.FindRun(ctx, tx, connector, run, "for update of r")
	if err != nil {
		return err
	}
	if o.Status != "held" {
		return fault.Coded(fault.Conflict, "invalid_transition", "The run is %s, so it has no held changes to "+
			"decide.", o.Status).
			Also("allowed", []string{})
	}
	return nil
}

// activeElsewhere is a fault while another run of the connector works: it computes everything anew.
func activeElsewhere(ctx context.Context, tx *pg.Tx, connector string) error {
	const sql = `
		select id::text
		  from sync_run
		 where connector_id = $1
		   and status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')`
	active, err := reconcile.IDs(ctx, tx, "find active run", sql, connector)
	if err != nil || len(active) == 0 {
		return err
	}
	return fault.Coded(fault.Conflict, "sync_already_running", "another run of this connector is active and takes "+
		"the place of this one").
		Also("run_id", active[0])
}

// Count is how many changes of a run wait for a decision.
func Count(ctx context.Context, tx *pg.Tx, r reconcile.Run) (n int64, err error) {
	const sql = `select count(*) from sync_change where tenant_id = current_tenant() and run_id = $1 and state = 'held'`
	if err := tx.QueryRow(ctx, sql, r.ID).Scan(&n); err != nil {
		return 0, fmt.Errorf("count held changes: %w", err)
	}
	return n, nil
}
