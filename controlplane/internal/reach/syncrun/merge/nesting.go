package merge

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// edgesSQL records nesting: a member that is itself an entitlement. %s stand for the kind of reference and the
// condition that resolves it.
const edgesSQL = `
	insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id, changed_run_id)
	select distinct s.tenant_id, p.id, e.id, $4::uuid, s.run_id
	  from stage_grant s
	  join entitlement e
	    on e.tenant_id = s.tenant_id
	   and e.connector_id = $4
	   and e.external_id = s.entitlement_external_id
	   and e.removed_at is null
	  join entitlement p
	    on p.tenant_id = s.tenant_id
	   and p.connector_id = $4
	   and p.removed_at is null
	   and %[2]s
	 where s.tenant_id = current_tenant()
	   and s.run_id = $1
	   and s.seq between $2 and $3
	   and not s.deleted
	   and s.held is not true
	   and %[1]s
	   and p.id <> e.id` + edgeAgain

// edgeAgain keeps an edge that is there, and takes back that it was missing.
const edgeAgain = `
	on conflict (tenant_id, member_id, parent_id) do update
	   set missing_since = null, missing_runs = 0, changed_run_id = excluded.changed_run_id
	 where entitlement_edge.missing_since is not null`

// mergeParents records nesting that entitlements tell themselves.
func mergeParents(ctx context.Context, tx *pg.Tx, s Span) (int64, error) {
	const sql = `
		insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id, changed_run_id)
		select distinct s.tenant_id, m.id, p.id, $4::uuid, s.run_id
		  from stage_entitlement s
		 cross join unnest(s.parent_external_ids) as parent (external_id)
		  join entitlement m
		    on m.tenant_id = s.tenant_id
		   and m.connector_id = $4
		   and m.external_id = s.external_id
		  join entitlement p
		    on p.tenant_id = s.tenant_id
		   and p.connector_id = $4
		   and p.external_id = parent.external_id
		 where s.tenant_id = current_tenant()
		   and s.run_id = $1
		   and s.seq between $2 and $3
		   and s.parent_external_ids is not null
		   and not s.deleted
		   and s.held is not true
		   and m.id <> p.id` + edgeAgain
	tag, err := tx.Exec(ctx, sql, s.Run, s.Lo, s.Hi, s.Connector)
	if err != nil {
		return 0, fmt.Errorf("parents: %w", err)
	}
	return tag.RowsAffected(), nil
}
