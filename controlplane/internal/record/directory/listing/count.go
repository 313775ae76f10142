package listing

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Count reads one row of counts.
func Count[T any](ctx context.Context, tx *pg.Tx, what, sql string) (figures T, err error) {
	rows, err := tx.Query(ctx, sql)
	if err == nil {
		figures, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	}
	if err != nil {
		return figures, fmt.Errorf("count %s: %w", what, err)
	}
	return figures, nil
}
