package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// FindOne reads a rule, a calendar or a schedule by a query of the id; if there is none, it is a fault of kind
// NotFound.
func FindOne[T any](ctx context.Context, tx *pg.Tx, what, sql, id string) (none T, err error) {
	missing := fault.New(fault.NotFound, "there is no %s %s", what, id)
	if !listing.IsID(id) {
		return none, missing
	}
	found, err := pg.One[T](ctx, tx, "find "+what, sql, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return none, missing
	case err != nil:
		return none, err
	}
	return found, nil
}

// NameTaken is the fault name_taken if err is that of the constraint, and err wrapped otherwise.
func NameTaken(err error, constraint, what, name string) error {
	var pe *pgconn.PgError
	if errors.As(err, &pe) && pe.ConstraintName == constraint {
		return fault.Coded(fault.Conflict, "name_taken", "there is %s with the name %s already", what, name).
			With(fault.Field{Pointer: "#/name", Code: "name_taken", Detail: "choose another name"})
	}
	return fmt.Errorf("write %s: %w", what, err)
}
