package pg

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Deployment runs fn in a transaction for the deployment itself, which has no tenant: tables of tenants look empty to
// it, and the few that belong to no tenant (signing_key, login_failure) can be read and written.
func (db *DB) Deployment(ctx context.Context, fn func(tx *Tx) error) error {
	begin := "begin; set local statement_timeout = '5s'"
	return db.run(ctx, pgx.TxOptions{BeginQuery: begin}, viewer.Viewer{Kind: viewer.Machine}, fn)
}
