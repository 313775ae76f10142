package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Run forgets answers, every hour until ctx ends, whose day is over.
func (k *Keeper) Run(ctx context.Context) error {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		if err := k.Purge(ctx); err != nil && ctx.Err() == nil {
			k.Log.WarnContext(ctx, "cannot forget old answers", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Purge forgets the answers of all tenants whose day is over.
func (k *Keeper) Purge(ctx context.Context) error {
	since := k.Now().Add(-window)
	var tenants []string
	err := k.DB.Across(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, `select distinct tenant_id::text from kept_answer where asked_at <= $1`, since)
		if err != nil {
			return err
		}
		tenants, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return fmt.Errorf("find old answers: %w", err)
	}
	const sql = `
		delete from kept_answer
		 where asked_at <= $1
		   and (status is not null or lease_until < now())`
	for _, tenant := range tenants {
		err := k.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
			_, err := tx.Exec(ctx, sql, since)
			return err
		})
		if err != nil {
			return fmt.Errorf("forget old answers: %w", err)
		}
	}
	return nil
}
