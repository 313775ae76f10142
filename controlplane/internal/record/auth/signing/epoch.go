package signing

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// BumpEpoch raises the deployment's epoch, and returns it. It belongs at the end of a restore: a backup knows nothing
// of what was revoked after it was taken, so every token, refresh token, invitation and sign-in link from before is
// refused from then on. People sign in again, service tokens are made anew, and agents renew by their identity key.
//
// The number is the time in seconds where that is greater, so that restoring one backup twice does not lead to one
// epoch twice.
func BumpEpoch(ctx context.Context, db *pg.DB) (epoch int64, err error) {
	const sql = `
		update deployment
		   set epoch = greatest(epoch + 1, extract(epoch from clock_timestamp())::bigint), changed_at = now()
		returning epoch`
	err = db.Deployment(ctx, func(tx *pg.Tx) error { return tx.QueryRow(ctx, sql).Scan(&epoch) })
	if err != nil {
		return 0, fmt.Errorf("raise the deployment's epoch: %w", err)
	}
	return epoch, nil
}

// readEpoch reads the deployment's epoch, which each restore raises.
func readEpoch(ctx context.Context, tx *pg.Tx) (epoch int64, err error) {
	if err := tx.QueryRow(ctx, `select epoch from deployment`).Scan(&epoch); err != nil {
		return 0, fmt.Errorf("read the deployment's epoch: %w", err)
	}
	return epoch, nil
}
