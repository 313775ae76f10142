package upkeep

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/planner"
)

// visible has tasks sent again whose account was not found and that take access away, or enable the account, once a
// later full sync has shown the account as it was before: it has moved back into what the connector reads, and can be
// changed now.
func visible(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select t.id::text
		  from provisioning_task t
		  join account a
		    on a.tenant_id = t.tenant_id
		   and a.id = t.account_id
		   and a.status in ('active', 'locked', 'disabled')
		   and a.missing_since is null
		  left join access_grant g on g.tenant_id = t.tenant_id and g.id = t.grant_id
		 where t.state in ('verifying', 'failed')
		   and t.mode <> 'simulate'
		   and t.error ->> 'code' = 'account_not_visible'
		   and case t.operation
		            when 'disable' then a.status <> 'disabled'
		            when 'enable' then a.status = 'disabled'
		            when 'revoke' then g.status <> 'revoked'
		            else t.operation = 'delete_account' end
		   and exists (
		        select from sync_run r
		         where r.tenant_id = t.tenant_id
		           and r.connector_id = t.connector_id
		           and r.purpose = 'apply'
		           and r.status = 'succeeded'
		           and not r.effective_incremental
		           and r.started_at > t.finished_at)`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return fmt.Errorf("find tasks whose account is shown again: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return err
	}
	_, err = planner.RetryTasks(ctx, tx, ids)
	return err
}
