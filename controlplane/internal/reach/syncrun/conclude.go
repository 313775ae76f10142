package syncrun

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/manager"
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
	if err := w.enter(ctx, Applying, "correlate"); err != nil {
		return err
	}
	defer crashpoint.Reach("run.ended")
	return w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		if err := w.ours(ctx, tx); err != nil {
			return err
		}
		done, err := w.drawConclusions(ctx, tx)
		if err != nil {
			return err
		}
		crashpoint.Reach("removals.applied")
		t := w.tally
		t.add(done)
		if err := w.countAtEnd(ctx, tx, &t); err != nil {
			return err
		}
		status, err := w.outcome(ctx, tx)
		if err != nil {
			return err
		}
		if err := w.noteMerged(ctx, tx, w.part(endPart), 0, 0, done); err != nil {
			return err
		}
		return w.write(ctx, tx, status, t, nil)
	})
}

// outcome is the state in which the run ends, or waits. A run that ends advances the connector's position.
func (w *work) outcome(ctx context.Context, tx *pg.Tx) (Status, error) {
	held, err := w.holds(ctx, tx)
	if err != nil || held {
		return Held, err
	}
	if err := w.savePosition(ctx, tx); err != nil {
		return "", err
	}
	unfinished, err := w.unfinished(ctx, tx)
	if err != nil {
		return "", err
	}
	if w.capped || w.crowded || !w.clean() || unfinished {
		return Partial, nil
	}
	return Succeeded, nil
}

// unfinished is true when the run was to read everything and its connector says that it did not: nothing was lost by
// that, but it is no success.
func (w *work) unfinished(ctx context.Context, tx *pg.Tx) (is bool, err error) {
	if w.effective.Incremental {
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

// drawConclusions makes removals true and brings up to date what depends on all records.
func (w *work) drawConclusions(ctx context.Context, tx *pg.Tx) (done tally, err error) {
	if done, err = w.applyRemovals(ctx, tx); err != nil {
		return done, err
	}
	if _, err := authority.ApplyRanks(ctx, tx); err != nil {
		return done, err
	}
	if err := w.resolveManagers(ctx, tx); err != nil {
		return done, err
	}
	if done.Counters.Linked, err = w.findOwners(ctx, tx); err != nil {
		return done, err
	}
	if err := w.inherit(ctx, tx); err != nil {
		return done, err
	}
	if err := reconcile.Settle(ctx, tx, w.run()); err != nil {
		return done, fmt.Errorf("settle: %w", err)
	}
	return done, nil
}

// findOwners links accounts and entitlements to the people who own them: by what their target systems say, and accounts
// by the rules. It reports how many accounts got an owner.
func (w *work) findOwners(ctx context.Context, tx *pg.Tx) (linked int64, err error) {
	if err := lockOwners(ctx, tx); err != nil {
		return 0, err
	}
	named, err := w.resolveAccountOwners(ctx, tx)
	if err != nil {
		return 0, err
	}
	if w.effective.Incremental {
		linked, err = correlate.RunChanges(ctx, tx, w.connector, w.id)
	} else {
		linked, err = correlate.Run(ctx, tx, w.connector)
	}
	if err != nil {
		return 0, err
	}
	if linked += named; linked > named {
		if named, err = w.resolveAccountOwners(ctx, tx); err != nil {
			return 0, err
		}
		linked += named
	}
	return linked, w.resolveEntitlementOwners(ctx, tx)
}

// inherit brings inherited grants up to date. Where too many would follow from the nesting they stay as they are, and
// the run says so.
func (w *work) inherit(ctx context.Context, tx *pg.Tx) (err error) {
	var n nesting.Inherited
	if w.effective.Incremental {
		n, err = nesting.FollowRun(ctx, tx, w.connector, w.id)
	} else {
		n, err = nesting.Expand(ctx, tx, w.connector)
	}
	if err != nil {
		return err
	}
	if w.crowded = n.Limit > 0; w.crowded {
		w.warnings = w.warnings[:min(len(w.warnings), 99)] // this one is shown in any case
		w.warn(
			v1.Warning{
				Code: "too_many_inherited",
				Message: fmt.Sprintf("More than %d grants would be inherited through nested groups. "+
					"Inherited grants of this connector were neither added nor removed. Reduce the nesting in the "+
					"target, or exclude groups from the sync.", n.Limit),
			},
		)
	}
	return nil
}

// resolveManagers looks at everybody after a full reading, and after one of changes at those whom the changes concern.
func (w *work) resolveManagers(ctx context.Context, tx *pg.Tx) error {
	publish, err := watchManagers(ctx, tx)
	if err != nil {
		return err
	}
	if w.effective.Incremental {
		_, err = manager.ResolveChanged(ctx, tx, w.id)
	} else {
		_, err = manager.Resolve(ctx, tx)
	}
	if err != nil {
		return err
	}
	return publish()
}

// applyRemovals makes true what has gone, and what is still there though it was thought gone. What the merge has
// brought back is counted by the merge.
func (w *work) applyRemovals(ctx context.Context, tx *pg.Tx) (done tally, err error) {
	if w.firstLoad {
		return done, nil
	}
	removed, err := reconcile.ApplyRemovals(ctx, tx, w.run())
	if err != nil {
		return done, fmt.Errorf("apply removals: %w", err)
	}
	var back int64
	for object, c := range removed {
		if k := done.Report.kindOfObject(object); k != nil {
			k.add(
				Counts{
					Missing:    c.Missing,
					Removed:    c.Removed,
					Reappeared: c.Reappeared,
					Returned:   c.Returned,
					Skipped:    c.Skipped,
				},
			)
		}
		back += c.Reappeared
	}
	if back == 0 {
		return done, nil
	}
	const merged = `
		select object, count(*)
		  from sync_change
		 where tenant_id = current_tenant()
		   and run_id = $1
		   and change = 'reappear'
		   and state = 'applied'
		   and at = now()
		   and stage_seq is not null
		 group by object`
	rows, err := tx.Query(ctx, merged, w.id)
	if err != nil {
		return done, fmt.Errorf("what the merge brought back: %w", err)
	}
	var object string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&object, &n}, func() error {
		if k := done.Report.kindOfObject(object); k != nil {
			k.Reappeared = max(0, k.Reappeared-n)
		}
		return nil
	})
	if err != nil {
		return done, fmt.Errorf("what the merge brought back: %w", err)
	}
	return done, nil
}

// countAtEnd fills in what is counted in the store rather than summed up.
func (w *work) countAtEnd(ctx context.Context, tx *pg.Tx, t *tally) (err error) {
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
		for _, k := range t.Report.kinds()[ofAccounts : ofGrants+1] {
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
	if w.tally.Counters.GrantsRecorded == 0 {
		return nil
	}
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) (err error) {
		w.open, _, err = unresolved(ctx, tx, w.span(1, w.seq), false)
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
	if _, err := tx.Exec(ctx, again, w.id); err != nil {
		return 0, fmt.Errorf("unresolved references: %w", err)
	}
	n, examples, err := unresolved(ctx, tx, w.span(1, w.seq), true)
	if err != nil || n == 0 {
		return n, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.warn(unresolvedWarning(n, examples))
	return n, nil
}
