package reconcile

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Settle closes the run's remaining pending changes after the merge: applied, or previewed when nothing was to be
// applied. It is called at the end of every run, also of a connector's first load, while what the run staged is still
// there.
func Settle(ctx context.Context, tx *pg.Tx, r Run) error {
	if r.Preview {
		const seen = `
			update sync_change
			   set state = 'previewed'
			 where tenant_id = current_tenant() and run_id = $1 and state in ('pending', 'held')`
		if _, err := tx.Exec(ctx, seen, r.ID); err != nil {
			return fmt.Errorf("settle preview: %w", err)
		}
		return nil
	}
	if err := rememberTellers(ctx, tx, r); err != nil {
		return fmt.Errorf("remember who tells of nesting: %w", err)
	}
	for _, sql := range settling {
		if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"run": r.ID, "connector": r.Connector}); err != nil {
			return fmt.Errorf("settle changes: %w", err)
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
