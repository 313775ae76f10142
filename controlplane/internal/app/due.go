package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
)

// dueInterval is how soon a date that decides somebody's state is noticed.
const dueInterval = 5 * time.Minute

// applyDue moves people whose day has come, at once when a process starts and then now and then: who starts, goes on leave, returns,
// leaves, or left long ago. Several processes may do it at once; the second finds nothing left.
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
	var failed error
	for _, t := range tenants {
		if err := a.applyDueIn(ctx, t); err != nil { // the others' days have come all the same
			failed = errors.Join(failed, fmt.Errorf("tenant %s: %w", t, err))
		}
	}
	return failed
}

// applyDueIn moves a tenant's people, some thousands a transaction.
func (a *App) applyDueIn(ctx context.Context, tenant string) error {
	for {
		var due directory.Due
		err := a.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) (err error) {
			due, err = directory.ApplyDue(ctx, tx, time.Now())
			return err
		})
		if err != nil || !due.More {
			return err
		}
	}
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
