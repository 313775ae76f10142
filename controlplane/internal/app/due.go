package app

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
)

// dueInterval is how soon a date that decides somebody's state is noticed.
const dueInterval = 15 * time.Minute

// applyDue moves people whose day has come: who starts becomes active, whose notice has ended is deactivated. Several processes
// may do it at once; the second finds nothing left.
func (a *App) applyDue(ctx context.Context) error {
	tick := time.NewTicker(dueInterval)
	defer tick.Stop()
	for {
		if err := a.applyDueOnce(ctx); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "cannot look for people whose day has come", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (a *App) applyDueOnce(ctx context.Context) error {
	tenants, err := activeTenants(ctx, a.DB)
	if err != nil {
		return err
	}
	for _, t := range tenants {
		err := a.DB.As(ctx, viewer.System(t), func(tx *pg.Tx) error {
			_, err := directory.ApplyDue(ctx, tx, time.Now())
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tenantIDs lists all tenants, the oldest first.
func tenantIDs(ctx context.Context, db *pg.DB) ([]string, error) {
	return listTenants(ctx, db, `select id::text from tenant order by created_at`)
}

// activeTenants lists those in which anything happens.
func activeTenants(ctx context.Context, db *pg.DB) ([]string, error) {
	return listTenants(ctx, db, `select id::text from tenant where status = 'active' order by created_at`)
}

func listTenants(ctx context.Context, db *pg.DB, sql string) (ids []string, err error) {
	err = db.Across(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql)
		if err != nil {
			return err
		}
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	return ids, nil
}
