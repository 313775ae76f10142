package replay

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Purge forgets the answers of all tenants whose day is over.
func (k *Keeper) Purge(ctx context.Context) error {
	since := k.Now().Add(-window)
	tenants, err := pg.FindAcross(
		ctx,
		k.DB,
		pgx.RowTo[string],
		`select distinct tenant_id::text from kept_answer where asked_at <= $1`,
		since,
	)
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
