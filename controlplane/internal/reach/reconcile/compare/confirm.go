package compare

import (
	"context"
)

// confirm finds what an earlier incremental run proved to be absent and this one leaves so: the group was read to its
// end without the member, and this run read all changes since without the group or the member among them. That is the
// second proof of an absence. It comes from an incremental run alone whose predecessor reported the group's change
// itself; an absence that a full run found first waits for the next full run.
//
// An earlier run that could not resolve a member of the group proves nothing here: the member may be the one that is
// missing, known by a name that it has had since.
func (c *comparison) confirm(ctx context.Context) error {
	if !c.run.Incremental || !c.run.Clean {
		return c.do(
			ctx,
			"absences",
			`create temp table r_confirmed (account_id uuid, member_id uuid, entitlement_id uuid) on commit drop`,
		)
	}
	return c.do(ctx, "absences", confirmedAbsences)
}

// unresolvedTold is how many references that could not be resolved a run names at most: one that names so many may have
// more.
const unresolvedTold = 1000

// confirmedAbsences are the grants and memberships for which confirm has found the second proof of absence.
const confirmedAbsences = `
	create temp table r_confirmed on commit drop as
	with absent as (
	    select g.account_id, null::uuid as member_id, g.entitlement_id, g.changed_run_id
	      from access_grant g
	     where g.tenant_id = current_tenant()
	       and g.connector_id = @connector
	       and g.status = 'missing'
	       and g.directness = 'direct'
	     union all
	    select null, n.member_id, n.parent_id, n.changed_run_id
	      from entitlement_edge n
	     where n.tenant_id = current_tenant()
	       and n.connector_id = @connector
	       and n.missing_since is not null
	       and n.told_by = 'grant'
	), earlier as (
	    select r.id, (select count(*) from sync_error e where e.tenant_id = current_tenant() and e.run_id = r.id
	      and e.code = 'unresolved_reference') as open
	      from sync_run r
	     where r.tenant_id = current_tenant()
	       and r.id in (select a.changed_run_id from absent a)
	       and r.id <> @run
	       and r.effective_incremental
	), told as (
	    select substr(key, strpos(key, ':') + 1) as external_id, split_part(key, ':', 1) as of
	      from stage_scope
	     where tenant_id = current_tenant() and run_id = @run and kind = 'grants'
	     union
	    select entitlement_external_id, 'entitlement' from stage_grant where tenant_id = current_tenant()
	      and run_id = @run
	     union
	    select external_id, 'entitlement' from stage_entitlement where tenant_id = current_tenant() and run_id = @run
	     union
	    select external_id, 'account' from stage_account where tenant_id = current_tenant() and run_id = @run
	)
	select a.account_id, a.member_id, a.entitlement_id
	  from absent a
	  join earlier r
	    on r.id = a.changed_run_id
	   and r.open < @unresolved_told
	  join entitlement e
	    on e.tenant_id = current_tenant()
	   and e.id = a.entitlement_id
	   and e.removed_at is null
	  left join account p
	    on p.tenant_id = current_tenant()
	   and p.id = a.account_id
	  left join entitlement m
	    on m.tenant_id = current_tenant()
	   and m.id = a.member_id
	 where not exists (select from told t where t.of = 'entitlement' and t.external_id = e.external_id)
	   and not exists (select from told t where t.of = 'account' and t.external_id = p.external_id)
	   and not exists (select from told t where t.of = 'entitlement' and t.external_id = m.external_id)
	   and not exists (select
	                     from sync_error x
	                    where x.tenant_id = current_tenant()
	                      and x.run_id = r.id
	                      and x.code = 'unresolved_reference'
	                      and x.external_id = e.external_id)`
