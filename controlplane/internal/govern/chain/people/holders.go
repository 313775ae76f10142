package people

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// ActiveName is the name of somebody who is there to be asked; empty: they are not.
func ActiveName(ctx context.Context, tx *pg.Tx, id string) (string, error) {
	const sql = `
		select coalesce(nullif(i.display_name, ''), i.external_id)
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.id::text = lower(@id)
		   and i.status in ('active', 'notice')`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"id": id})
	if err != nil {
		return "", fmt.Errorf("find who is named: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0], nil
}

// Holders reads the people who have a role of the tenant: identities, or users who are none.
func Holders(ctx context.Context, tx *pg.Tx, role string) ([]string, error) {
	const sql = `
		select coalesce(u.identity_id, u.id)::text
		  from app_user u
		 where u.tenant_id = current_tenant()
		   and u.status = 'active'
		   and u.deleted_at is null
		   and (u.identity_id is null or unable_to_decide(u.identity_id) not in ('left', 'unknown'))
		   and @role = any (u.roles)
		 limit 1000`
	return pg.All[string](ctx, tx, "find who has a role", sql, pgx.NamedArgs{"role": role})
}
