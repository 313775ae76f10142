package pg

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"
)

// All returns the rows of a query. T is a struct whose db tags or field names are the columns, or the type of the only
// column. what says in an error what was being done, such as "list agents"; the result is never nil.
func All[T any](ctx context.Context, tx *Tx, what, sql string, args ...any) ([]T, error) {
	return AllBy(ctx, tx, what, rowTo[T](), sql, args...)
}

// AllBy is All with a function that reads one row.
func AllBy[T any](
	ctx context.Context,
	tx *Tx,
	what string,
	row pgx.RowToFunc[T],
	sql string,
	args ...any,
) ([]T, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	all, err := pgx.CollectRows(rows, row)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return all, nil
}

// One returns the only row of a query, as All does. Its error is pgx.ErrNoRows or pgx.ErrTooManyRows if there is none
// or a second one.
func One[T any](ctx context.Context, tx *Tx, what, sql string, args ...any) (T, error) {
	return OneBy(ctx, tx, what, rowTo[T](), sql, args...)
}

// OneBy is One with a function that reads the row.
func OneBy[T any](
	ctx context.Context,
	tx *Tx,
	what string,
	row pgx.RowToFunc[T],
	sql string,
	args ...any,
) (found T, err error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return found, fmt.Errorf("%s: %w", what, err)
	}
	if found, err = pgx.CollectExactlyOneRow(rows, row); err != nil {
		return found, fmt.Errorf("%s: %w", what, err)
	}
	return found, nil
}

// Each reads the columns of each row into the variables behind into, and then calls do. It ends at the first error.
func Each(ctx context.Context, tx *Tx, what string, into []any, do func() error, sql string, args ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if _, err := pgx.ForEachRow(rows, into, do); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Exec runs a statement of which the number of rows does not matter.
func Exec(ctx context.Context, tx *Tx, what, sql string, args ...any) error {
	if _, err := tx.Exec(ctx, sql, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

var (
	timeType = reflect.TypeFor[time.Time]()
	scanner  = reflect.TypeFor[sql.Scanner]()
)

// rowTo reads a struct by the names of its columns. Everything else, and structs that read themselves or that pgx knows
// as values, such as time.Time, is the only column.
func rowTo[T any]() pgx.RowToFunc[T] {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct || t == timeType || reflect.PointerTo(t).Implements(scanner) {
		return pgx.RowTo[T]
	}
	return pgx.RowToStructByName[T]
}
