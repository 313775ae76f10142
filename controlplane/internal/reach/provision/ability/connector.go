package ability

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// FindBusinessID is the business id of a connector, for the audit log. It is a fault of kind NotFound when there is no
// such connector, or no longer.
func FindBusinessID(ctx context.Context, tx *pg.Tx, id string) (name string, err error) {
	err = tx.QueryRow(ctx, `select business_id from connector where id::text = lower($1) and deleted_at is null`, id).
		Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.New(fault.NotFound, "Connector %s was not found.", id)
	}
	if err != nil {
		return "", fmt.Errorf("find connector: %w", err)
	}
	return name, nil
}
