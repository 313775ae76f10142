package upkeep

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/planner"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// overdueAccounts has people looked at whose accounts may be due to be deleted. Whether they are the plan says.
func overdueAccounts(ctx context.Context, tx *pg.Tx) error {
	life, err := rules.Find(ctx, tx)
	if err != nil {
		return err
	}
	const sql = `
		insert into work_item (tenant_id, kind, subject)
		select distinct a.tenant_id, 'provisioning', a.identity_id
		  from account a
		  join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id and i.status in ('deactivated',
		      'archived')
		  left join lifecycle_policy y on y.tenant_id = a.tenant_id
		  left join connector_provisioning p on p.tenant_id = a.tenant_id and p.connector_id = a.connector_id
		 where a.status = 'disabled'
		   and (a.disabled_for is not null or a.wanted_at is not null
		       or ` + planner.KnownSQL + ` and a.created_at <= i.status_changed_at)
		   and a.managed in ('managed', 'discovered')
		   and a.account_type in ('person', 'unknown')
		   and coalesce((p.deprovision ->> 'delete_after')::interval, y.delete_after) is not null
		   and (greatest(i.status_changed_at, coalesce(a.disabled_at, i.status_changed_at)) at time zone $1
		         + coalesce((p.deprovision ->> 'delete_after')::interval, y.delete_after)) at time zone $1 <= now()
		   and not exists (
		        select from provisioning_task t
		         where t.account_id = a.id
		           and t.operation = 'delete_account'
		           and t.state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual'))
		 limit 10000`
	return pg.Exec(ctx, tx, "find accounts to delete", sql, life.Zone().String())
}
