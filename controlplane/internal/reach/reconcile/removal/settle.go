package removal

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// rememberTellers notes which edges the inner entitlement's own record reports, for the next time one of them is not
// there.
func rememberTellers(ctx context.Context, tx *pg.Tx, r reconcile.Run) error {
	const sql = `
		update entitlement_edge n
		   set told_by = 'parent'
		  from (select distinct m.id as member_id, p.id as parent_id
		          from (select external_id, unnest(parent_external_ids) as parent
		                  from stage_entitlement
		                 where tenant_id = current_tenant()
		                   and run_id = $1
		                   and parent_external_ids is not null) s
		          join entitlement m
		            on m.tenant_id = current_tenant() and m.connector_id = $2 and m.external_id = s.external_id
		          join entitlement p
		            on p.tenant_id = current_tenant() and p.connector_id = $2 and p.external_id = s.parent) told
		 where n.tenant_id = current_tenant()
		   and n.member_id = told.member_id
		   and n.parent_id = told.parent_id
		   and n.told_by <> 'parent'`
	_, err := tx.Exec(ctx, sql, r.ID, r.Connector)
	return err
}

// Settle closes the run's remaining pending changes after the merge: applied, or previewed when nothing was to be
// applied. It is called at the end of every run, also of a connector's first load, while what the run staged is still
// there.
func Settle(ctx context.Context, tx *pg.Tx, r reconcile.Run) error {
	if r.Preview {
		const seen = `
			update sync_change
			   set state = 'previewed'
			 where tenant_id = current_tenant() and run_id = $1 and state in ('pending', 'held')`
		return pg.Exec(ctx, tx, "settle preview", seen, r.ID)
	}
	if err := rememberTellers(ctx, tx, r); err != nil {
		return fmt.Errorf("remember who tells of nesting: %w", err)
	}
	for _, sql := range settling {
		if err := pg.Exec(
			ctx,
			tx,
			"settle changes",
			sql,
			pgx.NamedArgs{"run": r.ID, "connector": r.Connector},
		); err != nil {
			return err
		}
	}
	return nil
}

// settling gives what was created its identifier, says of what is not there that it was not merged, and closes the
// rest.
var settling = []string{
	createdAs("identity", "identity_id", `identity_source x
		where x.tenant_id = current_tenant() and x.connector_id = @connector and x.external_id = c.external_id`),
	createdAs("account", "id", `account x
		where x.tenant_id = current_tenant() and x.connector_id = @connector and x.external_id = c.external_id`),
	createdAs("entitlement", "id", `entitlement x
		where x.tenant_id = current_tenant() and x.connector_id = @connector and x.external_id = c.external_id`),
	createdAs("grant", "id", `stage_grant s, access_grant x
		where s.tenant_id = current_tenant() and s.run_id = @run and s.seq = c.stage_seq and s.ord = c.stage_ord
		  and x.tenant_id = current_tenant() and x.id = s.new_id`),
	`update sync_change
	    set state = 'skipped', reason = 'it was not merged: the run set it aside', at = now()
	  where tenant_id = current_tenant()
	    and run_id = @run
	    and state = 'pending'
	    and change = 'create'
	    and object in ('identity', 'account', 'entitlement')
	    and object_id is null`,
	`update sync_change
	    set state = 'applied', at = now()
	  where tenant_id = current_tenant() and run_id = @run and state = 'pending'`,
}

// createdAs is the statement that writes the IDs of created objects into their changes. from is the
// rest of the statement after from, and ends with a condition.
func createdAs(object, column, from string) string {
	return `
	update sync_change c
	   set object_id = x.` + column + `
	  from ` + from + `
	   and c.tenant_id = current_tenant()
	   and c.run_id = @run
	   and c.object = '` + object + `'
	   and c.change = 'create'
	   and c.state = 'pending'
	   and c.object_id is null`
}
