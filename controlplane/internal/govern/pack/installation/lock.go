package installation

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Lock lets one transaction at a time change the packs of a tenant. It holds until the transaction ends.
func Lock(ctx context.Context, tx *pg.Tx) error {
	return pg.Exec(
		ctx,
		tx,
		"wait for the turn of packs",
		`select pg_advisory_xact_lock(hashtextextended('sector packs ' || current_tenant()::text, 0))`,
	)
}

// Actor is who makes a change, in the form in which rows keep it.
func Actor(tx *pg.Tx) map[string]any {
	return tx.Viewer.Actor()
}
