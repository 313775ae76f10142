package subscription

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// CheckOwners is a fault of kind Invalid unless all owners are users of the tenant. Those of before may stay when they
// have left: a webhook can be changed although an owner is gone.
func CheckOwners(ctx context.Context, tx *pg.Tx, owners, before []string) error {
	fresh := slices.DeleteFunc(slices.Clone(owners), func(id string) bool { return slices.Contains(before, id) })
	if len(fresh) == 0 {
		return nil
	}
	const sql = `select u.id::text from app_user u where u.tenant_id = current_tenant() and u.deleted_at is null
		and u.id::text = any ($1)`
	users, err := pg.All[string](ctx, tx, "look for owners", sql, fresh)
	if err != nil {
		return err
	}
	for i, id := range owners {
		if slices.Contains(fresh, id) && !slices.Contains(users, id) {
			return fault.New(fault.Invalid, "owner_ids names a user that does not exist: %s", id).
				With(fault.Field{Pointer: fmt.Sprintf("#/owner_ids/%d", i), Code: "unknown_user",
					Detail: "name users of the tenant by their ids"})
		}
	}
	return nil
}
