package directory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
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
		         where g.account_id = any(array(select a.id from account a where a.identity_id = @id))
		             and g.status not in ('revoked', 'disconnected'))`
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": id}).Scan(&c.Accounts, &c.Grants); err != nil {
		return c, fmt.Errorf("count accounts and grants: %w", err)
	}
	return c, nil
}

// refOf names an identity, or none when the viewer may not see it.
func refOf(ctx context.Context, tx *pg.Tx, id string) (*identity.Reference, error) {
	i, err := identity.Find(ctx, tx, id)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &identity.Reference{ID: i.ID, Display: i.DisplayName}, nil
}

// expandedGrants are the grants of all accounts of a person, the oldest first, up to a page. The
// accounts are collected into an array first, so that the plan uses the index of grants by account.
func expandedGrants(ctx context.Context, tx *pg.Tx, id string) ([]HeldGrant, error) {
	sql := `
		select g.id, g.connector_id, ` + listing.ConnectorName("g.connector_id") + ` as connector_name, g.directness,
		       g.status, jsonb_build_object('id', e.id, 'display',
		       coalesce(nullif(e.display_name, ''), e.name)) as entitlement,
		           jsonb_build_object('id', a.id, 'display', ` + account.Display + `) as account
		  from ` + listing.Readable(tx.Viewer, "access_grant", "g") + `
		  join account a on a.tenant_id = g.tenant_id and a.id = g.account_id
		  join entitlement e on e.tenant_id = g.tenant_id and e.id = g.entitlement_id
		 where g.account_id = any(array(select a.id from account a where a.identity_id = @id))
		     and g.status not in ('revoked', 'disconnected')
		 order by g.created_at, g.id
		 limit @limit`
	return pg.All[HeldGrant](ctx, tx, "expand grants", sql, pgx.NamedArgs{"id": id, "limit": httpapi.MaxLimit})
}

// IdentityCounts are how many of each the reader may see.
type IdentityCounts struct {
	// Number of accounts of the identity that you can see, without deleted and disconnected ones.
	Accounts int64 `json:"accounts"`
	// Number of grants of the identity's accounts that you can see, without revoked and disconnected ones.
	Grants int64 `json:"grants"`
}

// HeldGrant is a grant as an expanded identity shows it. The whole of it is at /entitlements/grants/{id}.
type HeldGrant struct {
	// ID of the grant.
	ID string `json:"id" db:"id"`
	// Entitlement of the grant, with its name.
	Entitlement identity.Reference `json:"entitlement" db:"entitlement"`
	// Account that holds the entitlement, with its name.
	Account identity.Reference `json:"account" db:"account"`
	// ID of the connector.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// The system, for people.
	ConnectorName string `json:"connector_name" db:"connector_name"`
	// How the account holds the entitlement. direct: the account itself was assigned it. inherited: through nesting
	// only.
	Directness string `json:"directness" db:"directness" enum:"direct,inherited"`
	// Status of the grant: requested, pending, active, ending, revoking, failed or missing.
	Status string `json:"status" db:"status"`
}

// IdentityDetail is one identity with what hangs on it.
type IdentityDetail struct {
	identity.Identity
	// Numbers of accounts and grants of the identity that you can see.
	Counts IdentityCounts `json:"counts"`
	// This person is part of a cycle in the line of managers that the source reports.
	ManagerCycle bool `json:"manager_cycle"`
	// The records that were merged into this one.
	MergedIDs []string `json:"merged_ids" nullable:"false"`
	// By field that has a value, or is pinned: where its value is from.
	AttributeSources map[string]AttributeSource `json:"attribute_sources" nullable:"false"`
	// With expand=manager, where the reader may see the manager.
	Manager *identity.Reference `json:"manager,omitempty"`
	// With expand=accounts, the first 500.
	Accounts []account.Account `json:"accounts,omitempty" nullable:"false"`
	// With expand=grants, the first 500.
	Grants []HeldGrant `json:"grants,omitempty" nullable:"false"`
}
