package evaluation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/safety"
)

// markChanges holds the changes of a kind. A rewrite of several fields is held once, under the first that tripped.
func markChanges(ctx context.Context, tx *pg.Tx, kind string) error {
	which := "c.guard = '" + kind + "'"
	if strings.HasPrefix(kind, safety.AttributeRewrite) {
		which = counted(kind)
	}
	sql := `update r_change c set state = 'held', guard = $1 where c.state = 'pending' and ` + which
	return pg.Exec(ctx, tx, "hold "+kind, sql, kind)
}

// markCompanions keeps together what belongs together: the grants of a held entitlement are not taken away while it
// stays, an entitlement does not go while its grants are held, and where the absence of people is held, so is that of
// those who had left before and were not weighed.
func markCompanions(ctx context.Context, tx *pg.Tx) error {
	const grants = `
		update r_change g
		   set state = 'held', guard = 'entitlement_removed'
		  from (select object_id from r_change where object = 'entitlement' and state = 'held'
		      and change in ('missing', 'remove')) e
		 where g.object in ('grant', 'nesting')
		   and g.change in ('missing', 'remove')
		   and g.state = 'pending'
		   and g.entitlement_id = e.object_id`
	const entitlements = `
		update r_change e
		   set state = 'held', guard = 'grant_removed', reason = coalesce(e.reason, 'its grants are held')
		  from (select distinct entitlement_id
		          from r_change
		         where object in ('grant', 'nesting') and state = 'held' and guard = 'grant_removed'
		             and change in ('missing', 'remove')) g
		 where e.object = 'entitlement'
		   and e.change in ('missing', 'remove')
		   and e.state = 'pending'
		   and e.object_id = g.entitlement_id`
	const people = `
		update r_change p
		   set state = 'held', guard = 'identity_deactivation'
		 where p.object = 'identity'
		   and p.change in ('missing', 'remove')
		   and p.state = 'pending'
		   and exists (select from r_change o
		                where o.object = 'identity' and o.change in ('missing', 'remove') and o.state = 'held'
		                    and o.guard = 'identity_deactivation')`
	for _, sql := range []string{grants, entitlements, people} {
		if err := pg.Exec(ctx, tx, "hold dependent changes", sql); err != nil {
			return err
		}
	}
	return nil
}

// hold writes the holds and when they end.
func hold(ctx context.Context, tx *pg.Tx, r reconcile.Run, holds []reconcile.Hold, until time.Time) error {
	const sql = `
		insert into sync_hold (tenant_id, id, run_id, connector_id, kind, rule, allowed, observed, recent, population,
		    cause, state, digest, expires_at)
		select current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, ` + reconcile.DigestSQL + `, $12
		  from sync_change c
		 where c.tenant_id = current_tenant()
		   and c.run_id = $2
		   and c.state = 'held'
		   and c.guard = $4`
	batch := &pgx.Batch{}
	for i := range holds {
		h := &holds[i]
		h.ExpiresAt = until
		if r.Preview {
			h.State = "previewed"
		}
		batch.Queue(
			sql,
			h.ID,
			r.ID,
			r.Connector,
			h.Kind,
			h.Rule,
			h.Allowed,
			h.Observed,
			h.Recent,
			h.Population,
			h.Cause,
			h.State,
			until,
		)
	}
	if !r.Preview {
		batch.Queue(`update sync_run set held_until = $2 where tenant_id = current_tenant() and id = $1`, r.ID, until)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("write holds: %w", err)
	}
	return nil
}

// markHeld leaves held records out of the merge: every staged row of theirs, since an earlier one of the same record
// would be merged instead of the last.
func markHeld(ctx context.Context, tx *pg.Tx, r reconcile.Run, all bool) error {
	const whole = `update %s set held = true where tenant_id = current_tenant() and run_id = $1`
	const some = `
		update %[1]s s
		   set held = true
		  from (select external_id
		          from sync_change
		         where tenant_id = current_tenant() and run_id = $1 and state = 'held' and object = '%[2]s') c
		 where s.tenant_id = current_tenant()
		   and s.run_id = $1
		   and s.external_id = c.external_id`
	for i, object := range []string{"identity", "account", "entitlement"} {
		sql := fmt.Sprintf(some, reconcile.Stages[i], object)
		if all {
			sql = fmt.Sprintf(whole, reconcile.Stages[i])
		}
		if err := pg.Exec(ctx, tx, "mark held changes", sql, r.ID); err != nil {
			return err
		}
	}
	if !all {
		return nil
	}
	return pg.Exec(ctx, tx, "mark held changes", fmt.Sprintf(whole, "stage_grant"), r.ID)
}
