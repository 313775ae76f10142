package compare

import (
	"context"
)

// entitlementColumns are those that a run writes.
var entitlementColumns = []string{
	"display_name",
	"name",
	"native_ref",
	"native_identity",
	"kind",
	"description",
	"resource",
	"exclusion_group",
	"max_members",
	"owner_refs",
	"attributes",
}

// EntitlementName is the name of an entitlement e as it is shown.
const EntitlementName = `coalesce(nullif(e.display_name, ''), e.name)`

// entitlements compares entitlements as accounts are compared.
func (c *comparison) entitlements(ctx context.Context) error {
	if err := c.seen(ctx, "entitlement", "entitlements"); err != nil {
		return err
	}
	const different = `
		create temp table c_entitlement on commit drop as
		select r.external_id, r.seq, r.ord, r.content, e.id, e.missing_since is not null
		  or e.removed_at is not null as away
		  from r_entitlement r
		  left join entitlement e
		    on e.tenant_id = current_tenant()
		   and e.connector_id = @connector
		   and e.external_id = r.external_id
		 where not r.gone
		   and (r.content and e.row_hash is distinct from r.row_hash or e.missing_since is not null
		     or e.removed_at is not null)`
	changed := `
		insert into r_change (object, change, object_id, external_id, display, fields, before, after, container,
		    entitlement_id, stage_seq, stage_ord)
		select 'entitlement', case when c.id is null then 'create' when c.away then 'reappear' else 'update' end,
		       c.id, c.external_id, coalesce(nullif(s.display_name, ''), s.name),
		       case when c.id is null then '{}' else ` + changedFields("e", "s", entitlementColumns...) + ` end,
		       case when c.id is not null then ` + changedValues("e", "e", "s", "display_name") + ` end,
		       ` + changedValues("s", "e", "s", "display_name") + `,
		       ` + Container("s.native_identity") + `, c.id, c.seq, c.ord
		  from c_entitlement c
		  join stage_entitlement s
		    on s.tenant_id = current_tenant() and s.run_id = @run and s.seq = c.seq and s.ord = c.ord
		  left join entitlement e
		    on e.tenant_id = current_tenant() and e.id = c.id
		 where c.content`
	back := `
		insert into r_change (object, change, object_id, external_id, display, container, entitlement_id)
		select 'entitlement', 'reappear', e.id, e.external_id, ` + EntitlementName + `, ` +
		Container("e.native_identity") + `, e.id
		  from c_entitlement c
		  join entitlement e
		    on e.tenant_id = current_tenant() and e.id = c.id
		 where not c.content`
	gone := `
		insert into r_change (object, change, object_id, external_id, display, guard, before, after, container,
		    entitlement_id, reason)
		select 'entitlement', case when g.final then 'remove' else 'missing' end, g.id, g.external_id, ` +
		EntitlementName + `,
		       case when g.final or g.missing_since is null then 'entitlement_removed' end,
		       jsonb_build_object('lifecycle', g.lifecycle, 'missing_runs', g.missing_runs),
		       case when g.final then jsonb_build_object('lifecycle', 'retired') else jsonb_build_object('missing_runs',
		           g.missing_runs + 1) end,
		       ` + Container("e.native_identity") + `, g.id, case when g.gone then
		      'the target says that it was deleted' end
		  from (select e.id, e.external_id, e.lifecycle, e.missing_runs, e.missing_since, r.gone,
		               coalesce(r.gone, false) or e.missing_runs + 1 >= @required as final
		          from entitlement e
		          left join r_entitlement r on r.external_id = e.external_id
		         where e.tenant_id = current_tenant()
		           and e.connector_id = @connector
		           and e.removed_at is null
		           and (r.gone or (r.external_id is null and @whole_entitlement))) g
		  join entitlement e
		    on e.tenant_id = current_tenant() and e.id = g.id`
	return c.do(ctx, "entitlements", different, changed, back, gone)
}

// entitlementsAfter lists the entitlements as accountsAfter lists accounts.
func (c *comparison) entitlementsAfter(ctx context.Context) error {
	const renamed = `
		create temp table w_entitlement on commit drop as
		select c.id, c.external_id, s.native_ref
		  from c_entitlement c
		  join stage_entitlement s
		    on s.tenant_id = current_tenant() and s.run_id = @run and s.seq = c.seq and s.ord = c.ord
		 where c.content
		 union all
		select e.id, e.external_id, e.native_ref
		  from c_entitlement c
		  join entitlement e
		    on e.tenant_id = current_tenant() and e.id = c.id and e.removed_at is not null
		 where not c.content`
	const others = `
		insert into w_entitlement
		select e.id, e.external_id, case when n.name is null then e.native_ref end
		  from entitlement e
		  left join c_entitlement c on c.external_id = e.external_id and c.content
		  left join r_entitlement r on r.external_id = e.external_id and r.gone
		  left join (select distinct native_ref as name from w_entitlement) n on n.name = e.native_ref
		 where e.tenant_id = current_tenant()
		   and e.connector_id = @connector
		   and e.removed_at is null
		   and c.external_id is null
		   and r.external_id is null`
	return c.do(ctx, "names of entitlements", renamed, others)
}
