package hold

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// expired is how a hold ends that was not decided within its time.
var expired = ending{
	"expired",
	"expired",
	"hold_expired",
	"the held changes were not decided in time; none of them were applied",
	"sync_run.expired",
	"",
}

// Expire discards, in all tenants, what was held longer than it may be without a decision. Left alone, a hold never
// applies.
func Expire(ctx context.Context, db *pg.DB, now time.Time) error {
	type due struct{ tenant, connector, run string }
	var all []due
	err := db.Across(ctx, func(tx *pg.Tx) error {
		const sql = `select tenant_id::text, connector_id::text, id::text from sync_run where status = 'held'
			and held_until <= $1 order by held_until limit 100`
		rows, err := tx.Query(ctx, sql, now)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var d due
			if err := rows.Scan(&d.tenant, &d.connector, &d.run); err != nil {
				return err
			}
			all = append(all, d)
		}
		return rows.Err()
	})
	if err != nil {
		return fmt.Errorf("look for holds that expire: %w", err)
	}
	for _, d := range all {
		err := db.As(ctx, viewer.System(d.tenant), func(tx *pg.Tx) error {
			still, err := reconcile.IDs(
				ctx,
				tx,
				"lock run",
				`select id::text from sync_run where id = $1 and status = 'held' and held_until <= $2 for update`,
				d.run,
				now,
			)
			if err != nil || len(still) == 0 {
				return err // a user has decided in the meantime
			}
			return drop(ctx, tx, d.connector, d.run, expired)
		})
		if err != nil {
			return fmt.Errorf("let a hold expire: %w", err)
		}
	}
	return nil
}
