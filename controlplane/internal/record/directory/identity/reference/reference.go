// Package reference checks that people whom other records name, such as owners, exist.
package reference

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Missing lists those of ids that are not identities of the tenant.
func Missing(ctx context.Context, tx *pg.Tx, ids []string) ([]string, error) {
	if odd := slices.DeleteFunc(slices.Clone(ids), listing.IsID); len(odd) > 0 {
		return odd, nil // no id is spelt like this
	}
	const sql = `
		select w.id::text
		  from unnest($1::text[]::uuid[]) w(id)
		 where not exists (select from identity i where i.id = w.id and i.status <> 'archived')`
	return pg.All[string](ctx, tx, "look for people", sql, ids)
}

// CheckExist is a fault of kind Invalid, pointing at the member, unless all ids are identities of the tenant that are
// not archived.
func CheckExist(ctx context.Context, tx *pg.Tx, member string, ids ...string) error {
	missing, err := Missing(ctx, tx, ids)
	if err != nil || len(missing) == 0 {
		return err
	}
	return fault.New(fault.Invalid, "%s names an identity that does not exist: %s", member, missing[0]).
		With(fault.Field{Pointer: "#/" + member, Code: "unknown_identity", Detail: "there is no identity " +
			missing[0]})
}
