package content

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Entitlement is one that a role holds, with its system.
type Entitlement struct {
	ID          string
	ConnectorID string
}

// Entitlements are what these roles hold, by role: what stands in them, and in the roles that are nested in them, each
// once. A draft and a retired role give nothing, and nothing is given that has been retired or is gone from its system.
func Entitlements(ctx context.Context, tx *pg.Tx, roleIDs []string) (map[string][]Entitlement, error) {
	const sql = `
		select distinct w.role_id, e.id, e.connector_id
		  from roles_within(@ids::text[]::uuid[]) w
		  join role_entitlement x on x.role_id = w.part_id
		  join entitlement e on e.id = x.entitlement_id
		 where e.lifecycle <> 'retired'
		   and e.removed_at is null
		   and e.connector_id is not null
		 order by w.role_id, e.id`
	held := map[string][]Entitlement{}
	if len(roleIDs) == 0 {
		return held, nil
	}
	var role string
	var e Entitlement
	if err := pg.Each(
		ctx,
		tx,
		"entitlements of roles",
		[]any{&role, &e.ID, &e.ConnectorID},
		func() error { held[role] = append(held[role], e); return nil },
		sql,
		pgx.NamedArgs{"ids": roleIDs},
	); err != nil {
		return nil, err
	}
	return held, nil
}
