package merge

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Known is what the store holds of a connector before its run is merged.
type Known struct {
	before bool     // there was a connector's data before this run
	gone   bool     // some of its records are missing or removed, and may be seen again
	fields []string // of people, which its source fills; a run that reads changes does not see them all
}

// FindKnown reads what the store holds of a connector. fields are those of people that earlier runs have filled; they
// are empty for a run that reads everything.
func FindKnown(ctx context.Context, tx *pg.Tx, connector string, fields []string) (Known, error) {
	const sql = `
		select exists (select from identity_source where tenant_id = current_tenant() and connector_id = $1
		    and (missing_since is not null or removed_at is not null))
		    or exists (select from account where tenant_id = current_tenant() and connector_id = $1
		        and (missing_since is not null or deleted_at is not null))
		    or exists (select from entitlement where tenant_id = current_tenant() and connector_id = $1
		        and (missing_since is not null or removed_at is not null))
		    or exists (select from access_grant where tenant_id = current_tenant() and connector_id = $1
		        and (missing_since is not null or revoked_at is not null))`
	k := Known{before: true, fields: fields}
	if err := tx.QueryRow(ctx, sql, connector).Scan(&k.gone); err != nil {
		return k, fmt.Errorf("look at what is known: %w", err)
	}
	return k, nil
}

// reappearing counts the seen records that the store has as missing or removed. It looks at the store as it was before
// the statement, and not at all where nothing of the connector is gone.
func (k Known) reappearing(table, removed string) string {
	if !k.gone {
		return "0::bigint"
	}
	return `(select count(*)
		          from seen s
		          join ` + table + ` o
		            on o.tenant_id = s.tenant_id
		           and o.connector_id = $4
		           and o.external_id = s.external_id
		         where o.missing_since is not null or o.` + removed + ` is not null)`
}
