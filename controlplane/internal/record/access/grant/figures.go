package grant

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// AccessFigures counts entitlements.
type AccessFigures struct {
	// As the list counts: those that their target no longer has do not.
	Total int64 `json:"total"`
	// Number of entitlements that can be requested.
	Requestable int64 `json:"requestable"`
	// They have no owner.
	Unowned int64 `json:"unowned"`
}

// Count counts the entitlements that the transaction's viewer may list.
func Count(ctx context.Context, tx *pg.Tx) (f AccessFigures, err error) {
	sql := `
		select count(*), count(*) filter (where e.requestable), count(*) filter (where e.owner_ids = '{}')
		  from ` + listing.Listed(tx.Viewer, "entitlement", "e") + `
		 where e.removed_at is null`
	if err := tx.QueryRow(ctx, sql).Scan(&f.Total, &f.Requestable, &f.Unowned); err != nil {
		return f, fmt.Errorf("count entitlements: %w", err)
	}
	return f, nil
}
