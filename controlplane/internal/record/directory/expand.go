package directory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// count counts what of an identity the viewer may see. What was removed in the target does not count.
func count(ctx context.Context, tx *pg.Tx, id string) (c IdentityCounts, err error) {
	sql := `
		select (select count(*)
		          from ` + listing.Readable(tx.Viewer, "account", "a") + `
		         where a.identity_id = @id and a.status not in ('deleted', 'disconnected')),
		       (select count(*)
		          from ` + listing.Readable(tx.Viewer, "access_grant", "g") + `
		         where g.account_id = any(array(select a.id from account a where a.identity_id = @id)) and g.status not in ('revoked', 'disconnected'))`
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": id}).Scan(&c.Accounts, &c.Grants); err != nil {
		return c, fmt.Errorf("count accounts and grants: %w", err)
	}
	return c, nil
}

// refOf names an identity, or nobody when the viewer may not see it.
func refOf(ctx context.Context, tx *pg.Tx, id string) (*Reference, error) {
	i, err := Find(ctx, tx, id)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Reference{ID: i.ID, Display: i.DisplayName}, nil
}

func expandedAccounts(ctx context.Context, tx *pg.Tx, id string) ([]Account, error) {
	sql := `select ` + accountColumns + ` from ` + withOwner(listing.Readable(tx.Viewer, "account", "a")) + `
		 where a.identity_id = @id and a.status not in ('deleted', 'disconnected')
		 order by a.created_at, a.id
		 limit @limit`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"id": id, "limit": httpapi.MaxLimit})
	if err != nil {
		return nil, fmt.Errorf("expand accounts: %w", err)
	}
	accounts, err := pgx.CollectRows(rows, pgx.RowToStructByName[Account])
	if err != nil {
		return nil, fmt.Errorf("expand accounts: %w", err)
	}
	return accounts, nil
}

func expandedGrants(ctx context.Context, tx *pg.Tx, id string) ([]HeldGrant, error) {
	sql := `
		select g.id, g.connector_id, ` + ConnectorName("g.connector_id") + ` as connector_name, g.directness, g.status,
		       jsonb_build_object('id', e.id, 'display', coalesce(nullif(e.display_name, ''), e.name)) as entitlement,
		       jsonb_build_object('id', a.id, 'display', ` + AccountDisplay + `) as account
		  from ` + listing.Readable(tx.Viewer, "access_grant", "g") + `
		  join account a on a.tenant_id = g.tenant_id and a.id = g.account_id
		  join entitlement e on e.tenant_id = g.tenant_id and e.id = g.entitlement_id
		 where g.account_id = any(array(select a.id from account a where a.identity_id = @id)) and g.status not in ('revoked', 'disconnected')
		 order by g.created_at, g.id
		 limit @limit`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"id": id, "limit": httpapi.MaxLimit})
	if err != nil {
		return nil, fmt.Errorf("expand grants: %w", err)
	}
	grants, err := pgx.CollectRows(rows, pgx.RowToStructByName[HeldGrant])
	if err != nil {
		return nil, fmt.Errorf("expand grants: %w", err)
	}
	return grants, nil
}
