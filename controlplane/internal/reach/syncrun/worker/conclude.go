package worker

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/conclusion"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/merge"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/position"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/reading"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// endPart is the ledger's name for what the end of a run counted. A run that was held and released has one for each
// round.
const endPart = "end"

// conclude draws what follows from all records together: what has gone, who owns what, what is inherited. In the same
// transaction the run ends, or waits for a decision about what is held, and the position advances.
func (w *work) conclude(ctx context.Context) error {
	if err := w.resolveLate(ctx); err != nil {
		return err
	}
	if err := w.enter(ctx, syncrun.Applying, "correlate"); err != nil {
		return err
	}
	defer crashpoint.Reach("run.ended")
	return w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		if err := w.lease.Check(ctx, tx); err != nil {
			return err
		}
		drawn, err := conclusion.Draw(ctx, tx, w.run())
		if err != nil {
			return err
		}
		crashpoint.Reach("removals.applied")
		w.openOwners = drawn.Unknown
		w.warnOfInherited(drawn.Limit)
		t := w.count
		t.Add(drawn.Counted)
		if err := w.countAtEnd(ctx, tx, &t); err != nil {
			return err
		}
		status, err := w.outcome(ctx, tx)
		if err != nil {
			return err
		}
		if err := w.noteMerged(ctx, tx, w.part(endPart), 0, 0, drawn.Counted); err != nil {
			return err
		}
		return w.write(ctx, tx, status, t, nil)
	})
}

// outcome is the state in which the run ends, or waits. A run that ends advances the connector's position.
func (w *work) outcome(ctx context.Context, tx *pg.Tx) (syncrun.Status, error) {
	held, err := w.holds(ctx, tx)
	if err != nil || held {
		return syncrun.Held, err
	}
	if err := w.savePosition(ctx, tx); err != nil {
		return "", err
	}
	unfinished, err := w.unfinished(ctx, tx)
	if err != nil {
		return "", err
	}
	if w.Capped || w.crowded || !w.clean() || unfinished {
		return syncrun.Partial, nil
	}
	return syncrun.Succeeded, nil
}

// savePosition notes how far the merged data reaches. A limited run has no position: it left out what came after.
func (w *work) savePosition(ctx context.Context, tx *pg.Tx) error {
	if w.Capped {
		return nil
	}
	return position.Reached{
		Run:         w.id,
		Connector:   w.connector,
		Settings:    w.settings,
		Cursor:      w.Cursor,
		Watermark:   w.Watermark,
		Strategy:    w.Effective.Strategy,
		Incremental: w.Effective.Incremental,
		Full:        !w.Effective.Incremental && reading.All(w.Complete),
		Clean:       w.clean(),
	}.Save(ctx, tx)
}

// unfinished is true when the run was to read everything and its connector says that it did not: nothing was lost by
// that, but it is no success.
func (w *work) unfinished(ctx context.Context, tx *pg.Tx) (is bool, err error) {
	if w.Effective.Incremental {
		return false, nil
	}
	const sql = `
		select exists (select from stage_scope where tenant_id = current_tenant() and run_id = $1 and key = '*'
		    and not complete)`
	if err := tx.QueryRow(ctx, sql, w.id).Scan(&is); err != nil {
		return false, fmt.Errorf("look for what was not read to its end: %w", err)
	}
	return is, nil
}

// warnOfInherited warns that more grants than limit would be inherited; 0: there are no more.
func (w *work) warnOfInherited(limit int64) {
	if w.crowded = limit > 0; !w.crowded {
		return
	}
	w.Warnings = w.Warnings[:min(len(w.Warnings), 99)] // this one is shown in any case
	w.Warn(v1.Warning{
		Code: "too_many_inherited",
		Message: fmt.Sprintf("More than %d grants would be inherited through nested groups. "+
			"Inherited grants of this connector were neither added nor removed. Reduce the nesting in the "+
			"target, or exclude groups from the sync.", limit),
	})
}

// countAtEnd fills in what is counted in the store rather than summed up.
func (w *work) countAtEnd(ctx context.Context, tx *pg.Tx, t *counters.PartCount) (err error) {
	const inherited = `select count(*) from access_grant where tenant_id = current_tenant() and connector_id = $1
		and directness = 'inherited'`
	if err := tx.QueryRow(ctx, inherited, w.connector).Scan(&t.Counters.Inherited); err != nil {
		return fmt.Errorf("count inherited grants: %w", err)
	}
	if t.Report.Grants.Unresolved, err = w.tellUnresolved(ctx, tx); err != nil {
		return err
	}
	w.warnOfOwners(t)
	if w.streams {
		// Nothing was there before: a record that was merged twice, because it was read twice, was created once.
		for _, k := range t.Report.Kinds()[staging.Accounts : staging.Grants+1] {
			k.Updated, k.Unchanged = 0, 0
		}
	}
	return nil
}

// holds reports whether something of the run waits for a decision.
func (w *work) holds(ctx context.Context, tx *pg.Tx) (is bool, err error) {
	const sql = `
		select exists (select from sync_hold where tenant_id = current_tenant() and run_id = $1
		    and state in ('open', 'partly_released'))`
	if err := tx.QueryRow(ctx, sql, w.id).Scan(&is); err != nil {
		return false, fmt.Errorf("look for holds: %w", err)
	}
	return is, nil
}

// resolveLate gives grants whose account or group came later in the run a second look.
func (w *work) resolveLate(ctx context.Context) error {
	if w.count.Counters.GrantsRecorded == 0 {
		return nil
	}
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) (err error) {
		w.open, _, err = merge.Unresolved(ctx, tx, w.Span(1, w.seq), false)
		return err
	})
	if err != nil || w.open == 0 {
		return err
	}
	return w.remergeGrants(ctx)
}

// tellUnresolved counts the grants that stay open, and names the first of them among the run's errors.
func (w *work) tellUnresolved(ctx context.Context, tx *pg.Tx) (int64, error) {
	if w.open == 0 {
		return 0, nil
	}
	const again = `
		delete from sync_error
		 where tenant_id = current_tenant()
		   and run_id = $1
		   and code = 'unresolved_reference'`
	if err := pg.Exec(ctx, tx, "unresolved references", again, w.id); err != nil {
		return 0, err
	}
	n, examples, err := merge.Unresolved(ctx, tx, w.Span(1, w.seq), true)
	if err != nil || n == 0 {
		return n, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Warn(merge.UnresolvedWarning(n, examples))
	return n, nil
}
