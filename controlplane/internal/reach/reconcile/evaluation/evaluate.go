package evaluation

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/compare"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/safety"
)

// maxFirstListed bounds the changes that the preview of a first load lists. All of it is new, so the counts say enough.
const maxFirstListed = 100_000

// Evaluate compares what the run has staged with what is known and writes the difference as changes, weighs them, and
// marks what is held. It may be called again: it starts anew. It belongs in a bulk transaction, and writes nothing but
// sync_change, sync_hold, the stages' held and the run's held_until. The first load of a connector has nothing to
// compare with and writes nothing, unless it is a preview.
func Evaluate(ctx context.Context, tx *pg.Tx, r reconcile.Run) (reconcile.Verdict, error) {
	v := reconcile.Verdict{Changes: map[string]int64{}}
	if r.FirstLoad && !r.Preview {
		return v, nil
	}
	safety, err := safety.Find(ctx, tx, r.Connector)
	if err != nil {
		return v, err
	}
	var now time.Time
	if err := tx.QueryRow(ctx, `select now()`).Scan(&now); err != nil {
		return v, err
	}
	p, err := safety.Policy(now)
	if err != nil {
		return v, fmt.Errorf("safety of connector: %w", err)
	}
	p.Guard.SettingsChanged = r.SettingsChanged
	if err := startAnew(ctx, tx, r); err != nil {
		return v, err
	}
	if err := compare.Compare(ctx, tx, r, p.MissingUntil); err != nil {
		return v, err
	}
	if v.Changes, err = countChanges(ctx, tx); err != nil {
		return v, err
	}
	if !r.FirstLoad {
		if v.Holds, err = weigh(ctx, tx, r, p); err != nil {
			return v, err
		}
	}
	v.HoldRun = p.HoldRun && len(v.Holds) > 0
	if err := record(ctx, tx, r, v.HoldRun); err != nil || len(v.Holds) == 0 {
		return v, err
	}
	until := now.Add(p.Ttl)
	v.HeldUntil = &until
	if err := hold(ctx, tx, r, v.Holds, until); err != nil || r.Preview {
		return v, err
	}
	return v, markHeld(ctx, tx, r, v.HoldRun)
}

// startAnew forgets an earlier evaluation of the same run.
func startAnew(ctx context.Context, tx *pg.Tx, r reconcile.Run) error {
	batch := &pgx.Batch{}
	batch.Queue(`delete from sync_change where tenant_id = current_tenant() and run_id = $1`, r.ID)
	batch.Queue(`delete from sync_hold where tenant_id = current_tenant() and run_id = $1`, r.ID)
	batch.Queue(
		`update sync_run set held_until = null where tenant_id = current_tenant() and id = $1
			and held_until is not null`,
		r.ID,
	)
	for _, stage := range reconcile.Stages {
		batch.Queue(
			`update `+stage+` set held = null where tenant_id = current_tenant() and run_id = $1 and held`,
			r.ID,
		)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("start evaluation: %w", err)
	}
	return nil
}

// countChanges counts the rows of r_change by object and change, such as account.remove.
func countChanges(ctx context.Context, tx *pg.Tx) (map[string]int64, error) {
	counts := map[string]int64{}
	var name string
	var n int64
	if err := pg.Each(
		ctx,
		tx,
		"count changes",
		[]any{&name, &n},
		func() error { counts[name] = n; return nil },
		`select object || '.' || change, count(*) from r_change group by 1`,
	); err != nil {
		return nil, err
	}
	return counts, nil
}

// record keeps the changes, with the department and the manager of whom they concern, in an order that groups them.
func record(ctx context.Context, tx *pg.Tx, r reconcile.Run, all bool) error {
	if all {
		if err := pg.Exec(
			ctx,
			tx,
			"hold the whole run",
			`update r_change set state = 'held' where state = 'pending'`,
		); err != nil {
			return err
		}
	}
	sql := `
		insert into sync_change (tenant_id, run_id, connector_id, object, change, object_id, external_id, display,
		                         guard, fields, before, after, department, container, manager, state, reason, parent_id,
		                             stage_seq, stage_ord)
		select current_tenant(), $1, $2, c.object, c.change, c.object_id, c.external_id, c.display, c.guard, c.fields,
		       c.before, c.after, coalesce(c.department, i.department), c.container,
		           coalesce(c.manager, m.display_name), c.state, c.reason, c.entitlement_id, c.stage_seq, c.stage_ord
		  from r_change c
		  left join identity i
		    on i.tenant_id = current_tenant() and i.id = c.owner_id
		  left join identity m
		    on m.tenant_id = current_tenant() and m.id = i.manager_id
		 order by array_position('{identity,account,entitlement,grant,nesting}'::text[], c.object),
		          array_position('{remove,missing,disable,update,reappear,create}'::text[], c.change), c.external_id,
		              c.object_id`
	if r.FirstLoad {
		sql += fmt.Sprintf(" limit %d", maxFirstListed)
	}
	return pg.Exec(ctx, tx, "record changes", sql, r.ID, r.Connector)
}
