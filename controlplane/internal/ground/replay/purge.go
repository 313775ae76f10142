package replay

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Jobs are the periodic work: to delete answers whose day is over.
func (k *Keeper) Jobs() []queue.Job {
	return []queue.Job{{
		Name:  "kept_answers",
		Title: "Idempotency cleanup",
		About: "Deletes the responses that are kept for repeated requests, after a day.",
		Every: time.Hour,
		Run:   k.Purge,
	}}
}

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
