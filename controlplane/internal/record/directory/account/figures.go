package account

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// AccountFigures counts accounts by what is to be settled about them.
type AccountFigures struct {
	// As the list counts: deleted ones do not.
	Total int64 `json:"total" db:"total"`
	// Accounts whose owner was not found.
	Uncorrelated int64 `json:"uncorrelated" db:"uncorrelated"`
	// Accounts with several candidate owners.
	Disputed int64 `json:"disputed" db:"disputed"`
	// Orphan accounts.
	Orphaned int64 `json:"orphaned" db:"orphaned"`
}

// Count counts the accounts that the transaction's viewer may list.
func Count(ctx context.Context, tx *pg.Tx) (AccountFigures, error) {
	sql := `
		select count(*) as total,
		       count(*) filter (where a.correlation_state = 'uncorrelated') as uncorrelated,
		       count(*) filter (where a.correlation_state = 'disputed') as disputed,
		       count(*) filter (where ` + orphaned + `) as orphaned
		  from ` + WithOwner(listing.Listed(tx.Viewer, "account", "a")) + `
		 where a.status not in ('deleted', 'disconnected')`
	return listing.Count[AccountFigures](ctx, tx, "accounts", sql)
}

// leavers is the condition that an account a with the owner o belongs to a person who has left and still works.
const leavers = orphaned + ` and (` + orphanReason + `) in ('owner_deactivated', 'owner_archived')`

// CountOfLeavers is the SQL that counts the accounts of leavers that still work, of those that the viewer may list.
func CountOfLeavers(v viewer.Viewer) string {
	return `select count(*) from ` + WithOwner(listing.Listed(v, "account", "a")) + ` where ` + leavers
}

// CountWithoutOwner is the SQL that counts the orphan accounts that never had an owner, of those that the viewer may
// list.
func CountWithoutOwner(v viewer.Viewer) string {
	return `select count(*) from ` + WithOwner(
		listing.Listed(v, "account", "a"),
	) + ` where ` + orphaned + ` and not (` + leavers + `)`
}
