package compare

import (
	"context"
)

// nesting compares which entitlement lies in which. An edge that the outer one reports is proven gone by a complete
// reading of the outer one's members; an edge that the inner one's own record reports, by that record.
func (c *comparison) nesting(ctx context.Context) error {
	const parents = `
		insert into r_edge
		select m.external_id, m.id, p.external_id, p.id, false, r.seq, r.ord, 'parent'
		  from (select r.external_id, r.seq, r.ord, unnest(s.parent_external_ids) as parent
		          from r_entitlement r
		          join stage_entitlement s
		            on s.tenant_id = current_tenant() and s.run_id = @run and s.seq = r.seq and s.ord = r.ord
		         where r.content
		           and s.parent_external_ids is not null) r
		  join w_entitlement m on m.external_id = r.external_id
		  join w_entitlement p on p.external_id = r.parent
		 where m.external_id <> p.external_id`
	return c.do(ctx, "nesting", parents, comparedEdges, changedEdges, goneEdges)
}

// comparedEdges are the nestings of groups as the run has staged them, one row for each pair.
const comparedEdges = `
	create temp table c_edge on commit drop as
	with edge as (
	    select member, parent, bool_and(deleted) as deleted, (array_agg(member_id))[1] as member_id,
	      (array_agg(parent_id))[1] as parent_id,
	           max(seq) as seq, (array_agg(ord order by seq desc))[1] as ord
	      from r_edge
	     group by member, parent
	), known as (
	    select n.member_id, n.parent_id, n.missing_since, n.missing_runs, n.told_by
	      from entitlement_edge n
	     where n.tenant_id = current_tenant()
	       and n.connector_id = @connector
	), going as (
	    select object_id, bool_or(change = 'remove') as final
	      from r_change
	     where change in ('missing', 'remove') and object = 'entitlement'
	     group by object_id
	)
	select k.member_id, k.parent_id, k.missing_since, k.missing_runs, k.member_id is not null as known,
	       coalesce(k.member_id, p.member_id) as member_is, coalesce(k.parent_id, p.parent_id) as parent_is, p.member,
	         p.parent, p.seq, p.ord,
	       p.member is not null and not p.deleted as present, coalesce(p.deleted, false) as gone,
	       coalesce(a.final, false) or coalesce(b.final, false) as ends_with
	  from known k
	  full join edge p on p.member_id = k.member_id and p.parent_id = k.parent_id
	  left join going a on a.object_id = k.member_id
	  left join going b on b.object_id = k.parent_id
	  left join (select distinct id from r_within where of = 'entitlement') w on w.id = k.parent_id
	  left join r_confirmed y on y.member_id = k.member_id and y.entitlement_id = k.parent_id
	  left join (select e.id
	               from r_entitlement r
	               join w_entitlement e on e.external_id = r.external_id
	              where r.content and e.id is not null) t on t.id = k.member_id
	 where a.final or b.final
	    or p.deleted
	    or p.member is not null and (k.member_id is null or k.missing_since is not null)
	    or p.member is null and k.told_by = 'grant' and (@whole_grant or w.id is not null or y.member_id is not null)
	    or p.member is null and k.told_by = 'parent' and t.id is not null`

const edgeName = `coalesce(nullif(m.display_name, ''), m.name,
	c.member) || ' in ' || coalesce(nullif(e.display_name, ''), e.name, c.parent)`

const changedEdges = `
	insert into r_change (object, change, object_id, external_id, display, account_id, entitlement_id, stage_seq,
	    stage_ord)
	select 'nesting', case when c.known then 'reappear' else 'create' end, c.member_is,
	    coalesce(m.external_id, c.member) || ' in ' || coalesce(e.external_id, c.parent),
	       ` + edgeName + `, c.member_is, c.parent_is, c.seq, c.ord
	  from c_edge c
	  left join entitlement m
	    on m.tenant_id = current_tenant() and m.id = c.member_is
	  left join entitlement e
	    on e.tenant_id = current_tenant() and e.id = c.parent_is
	 where c.present
	   and not c.ends_with`

const goneEdges = `
	insert into r_change (object, change, object_id, external_id, display, guard, before, after, account_id,
	    entitlement_id, reason)
	select 'nesting', case when c.final then 'remove' else 'missing' end, c.member_id,
	    m.external_id || ' in ' || e.external_id, ` + edgeName + `,
	       case when c.ends_with then 'entitlement_removed' when c.final
	       or c.missing_since is null then 'grant_removed' end, jsonb_build_object('missing_runs', c.missing_runs),
	       case when c.final then '{}' else jsonb_build_object('missing_runs', c.missing_runs + 1) end, c.member_id,
	       c.parent_id, case when c.ends_with then 'its entitlement goes'
	           when c.gone then 'the target says that it was deleted' end
	  from (select n.*, n.ends_with or n.gone or n.missing_runs + 1 >= @required as final
	          from c_edge n
	         where n.known and (n.ends_with or not n.present)) c
	  left join entitlement m
	    on m.tenant_id = current_tenant() and m.id = c.member_id
	  left join entitlement e
	    on e.tenant_id = current_tenant() and e.id = c.parent_id`
