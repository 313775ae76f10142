package storedquery

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// CheckSystems is a fault of kind Invalid, with pointers below at, unless all connectors exist. Deleted ones count, so
// that a control can be changed after its system was disconnected: its query is unanswered then.
func CheckSystems(ctx context.Context, tx *pg.Tx, at string, ids []string) error {
	const sql = `select c.id::text from connector c where c.id = any($1::text[]::uuid[])`
	valid := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !listing.IsID(id) })
	known, err := pg.All[string](ctx, tx, "find systems of stored query", sql, valid)
	if err != nil {
		return err
	}
	for i, id := range ids {
		if !slices.Contains(known, id) {
			return fault.New(fault.Invalid, "Connector %s was not found.", id).
				With(fault.Field{Pointer: fmt.Sprintf("%s/%d", at, i), Code: "unknown_connector",
					Detail: "Choose one of GET /connectors."})
		}
	}
	return nil
}
