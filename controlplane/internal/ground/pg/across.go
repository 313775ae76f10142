package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// FindAcross collects what a query finds over all tenants: those with something to do, most often. It is Across with
// one statement, and its callers are on the same list.
func FindAcross[T any](
	ctx context.Context,
	db *DB,
	row pgx.RowToFunc[T],
	sql string,
	args ...any,
) (found []T, err error) {
	err = db.Across(ctx, func(tx *Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, row)
		return err
	})
	return found, err
}
