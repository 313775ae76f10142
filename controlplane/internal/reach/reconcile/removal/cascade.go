package removal

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// revokeAlong revokes the grants of what this transaction removed, and closes the changes that would have done so, also
// those that are held: they have come true with it. %[1]s is the object, %[2]s the grant's column.
const revokeAlong = `
	with removed as materialized (
	    select object_id
	      from sync_change
	     where tenant_id = current_tenant() and run_id = $1 and object = '%[1]s' and change = 'remove'
	         and state = 'applied' and at = now()
	), revoked as (
	    update access_grant g
	       set status = 'revoked', revoked_at = now(), missing_since = coalesce(g.missing_since, now()),
	           changed_run_id = $1, updated_at = now(), version = g.version + 1
	      from removed r
	     where g.tenant_id = current_tenant()
	       and g.%[2]s = r.object_id
	       and g.status <> 'revoked'
	    returning g.id, g.directness
	), noted as (
	    update sync_change c
	       set state = 'applied', at = now(), reason = 'its %[1]s goes'
	      from revoked v
	     where c.tenant_id = current_tenant()
	       and c.run_id = $1
	       and c.object = 'grant'
	       and c.object_id = v.id
	       and c.change in ('missing', 'remove')
	       and c.state in ('pending', 'held')
	)
	select count(*) filter (where directness = 'direct') from revoked`

func grantsOfAccounts(ctx context.Context, tx *pg.Tx, r reconcile.Run) (map[string]reconcile.Counts, error) {
	n, err := along(ctx, tx, r, fmt.Sprintf(revokeAlong, "account", "account_id"))
	return map[string]reconcile.Counts{"grant": {Removed: n}}, err
}

// returnedGrants counts those that this transaction found again after we had revoked them.
func returnedGrants(ctx context.Context, tx *pg.Tx, r reconcile.Run) (map[string]reconcile.Counts, error) {
	const sql = `
		select count(*)
		  from access_grant g
		 where g.tenant_id = current_tenant()
		   and g.connector_id = (select connector_id from sync_run where tenant_id = current_tenant() and id = $1)
		   and g.reappeared
		   and g.changed_run_id = $1
		   and g.updated_at = now()`
	n, err := along(ctx, tx, r, sql)
	return map[string]reconcile.Counts{"grant": {Returned: n}}, err
}

// grantsOfEntitlements takes the nesting of what is removed away too: no one holds anything through it any more.
func grantsOfEntitlements(ctx context.Context, tx *pg.Tx, r reconcile.Run) (map[string]reconcile.Counts, error) {
	const nesting = `
		with removed as materialized (
		    select object_id
		      from sync_change
		     where tenant_id = current_tenant() and run_id = $1 and object = 'entitlement' and change = 'remove'
		         and state = 'applied' and at = now()
		), edges as (
		    delete from entitlement_edge x
		     where x.tenant_id = current_tenant()
		       and (x.member_id in (select object_id from removed) or x.parent_id in (select object_id from removed))
		    returning x.member_id, x.parent_id
		), noted as (
		    update sync_change c
		       set state = 'applied', at = now(), reason = 'its entitlement goes'
		      from edges x
		     where c.tenant_id = current_tenant()
		       and c.run_id = $1
		       and c.object = 'nesting'
		       and c.object_id = x.member_id
		       and c.parent_id = x.parent_id
		       and c.change in ('missing', 'remove')
		       and c.state in ('pending', 'held')
		)
		select count(*) from edges`
	grants, err := along(ctx, tx, r, fmt.Sprintf(revokeAlong, "entitlement", "entitlement_id"))
	if err != nil {
		return nil, err
	}
	edges, err := along(ctx, tx, r, nesting)
	return map[string]reconcile.Counts{"grant": {Removed: grants}, "nesting": {Removed: edges}}, err
}

// along runs a statement that removes what belongs to removed objects, and gives how many rows it
// changed.
func along(ctx context.Context, tx *pg.Tx, r reconcile.Run, sql string) (n int64, err error) {
	if err := tx.QueryRow(ctx, sql, r.ID).Scan(&n); err != nil {
		return 0, fmt.Errorf("take along what belongs to what is removed: %w", err)
	}
	return n, nil
}
