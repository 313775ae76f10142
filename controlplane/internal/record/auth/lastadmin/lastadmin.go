package lastadmin

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Lock has changes of who the administrators of the transaction's tenant are happen one after the other. Whoever
// may take the role from somebody calls it before reading, and AdminRemains after writing.
func Lock(ctx context.Context, tx *pg.Tx) error {
	const users = 1301 // the first half of the lock's name; the tenant is the second
	return pg.Exec(
		ctx,
		tx,
		"wait for other changes of users",
		`select pg_advisory_xact_lock($1, hashtext(current_tenant()::text))`,
		users,
	)
}

// Check returns a fault of kind Conflict with the code last_admin when the tenant has no active administrator
// any more.
func Check(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select exists (select from app_user
		                where status = 'active'
		                  and 'admin' = any (roles))`
	var remains bool
	if err := tx.QueryRow(ctx, sql).Scan(&remains); err != nil {
		return fmt.Errorf("look for another administrator: %w", err)
	}
	if !remains {
		return fault.Coded(
			fault.Conflict,
			"last_admin",
			"this is the last active administrator; first make another user who has signed in an administrator",
		)
	}
	return nil
}
