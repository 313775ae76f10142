package role

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// RoleFigures counts roles.
type RoleFigures struct {
	// As the list counts: retired ones do not.
	Total int64 `json:"total"`
	// Number of roles whose lifecycle is active.
	Active int64 `json:"active"`
}

// Count counts the roles that the transaction's viewer may list.
func Count(ctx context.Context, tx *pg.Tx) (f RoleFigures, err error) {
	sql := `select count(*), count(*) filter (where r.lifecycle = 'active') from role r where r.lifecycle <> 'retired'`
	args := pgx.NamedArgs{}
	if !tx.Viewer.SeesAll() {
		sql += " and " + fmt.Sprintf(ownedBy, "viewer_id")
		args["viewer_id"] = orNull(tx.Viewer.Identity)
	}
	if err := tx.QueryRow(ctx, sql, args).Scan(&f.Total, &f.Active); err != nil {
		return f, fmt.Errorf("count roles: %w", err)
	}
	return f, nil
}
