package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/deletion"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/action"
)

// dueInterval is how soon a date that decides somebody's state is noticed.
const dueInterval = 5 * time.Minute

// applyDue moves people whose day has come, at once when a process starts and then now and then: who starts, goes on
// leave, returns, leaves, or left long ago. Several processes may do it at once; the second finds nothing left.
func (a *App) applyDue(ctx context.Context) error {
	return loop.Worker{
		Every:  dueInterval,
		Log:    a.log,
		Cannot: "cannot look for people whose day has come",
	}.Run(
		ctx,
		a.applyDueOnce,
	)
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
		var due action.Due
		err := a.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) (err error) {
			if due, err = action.ApplyDue(ctx, tx, time.Now()); err != nil {
				return err
			}
			more, err := deletion.Purge(ctx, tx, time.Now())
			due.More = due.More || more
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

func listTenants(ctx context.Context, db *pg.DB, sql string) ([]string, error) {
	ids, err := pg.FindAcross(ctx, db, pgx.RowTo[string], sql)
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	return ids, nil
}
