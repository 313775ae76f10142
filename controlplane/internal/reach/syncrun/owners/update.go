package owners

import (
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
)

// openOwners counts the connector's objects of which an owner is not known, with examples from table t.
const openOwners = `
		(select count(distinct o.id) from owner o where o.connector_id = @connector and o.identity_id is null),
		array(select left(o.value, 200) || ' of ' || left(t.display, 200)
		        from (select o.id, o.value from owner o where o.connector_id = @connector and o.identity_id is null
		            order by o.id, o.nth limit @examples) o
		        join lateral (%s) t on true)`

// linkOwners gives accounts without an owner the one whom their target system names: the first that is known,
// and whom no person has removed from the account. What a person decided, and what the source says of a person's own
// account, stays. Where no named owner is left the account has none, until correlation or a person finds another.
func linkOwners() string {
	return `, first as materialized (
		    select distinct on (o.id) o.id, o.identity_id
		      from owner o
		      join account a
		        on a.tenant_id = current_tenant()
		       and a.id = o.id
		     where o.identity_id is not null
		       and o.identity_id <> all(a.correlation_rejected)
		     order by o.id, o.nth
		), wanted as materialized (
		    select x.id, f.identity_id
		      from object x
		      left join first f on f.id = x.id
		), changed as (
		    update account a
		       set identity_id = w.identity_id,
		           correlation_state = case when w.identity_id is null then 'uncorrelated' else 'linked' end,
		           correlation = case when w.identity_id is null then '{}'::jsonb else ` + sourceOwner + `::jsonb end,
		           correlation_keys = null, correlation_rules = null,
		           unowned_since = case when w.identity_id is null then now() end,
		           updated_at = now(), version = a.version + 1
		      from wanted w
		     where a.tenant_id = current_tenant()
		       and a.id = w.id
		       and a.correlation_state in ('linked', 'uncorrelated', 'disputed')
		       and case when ` + fromSource + ` then a.identity_id is distinct from w.identity_id
		                else w.identity_id is not null and coalesce(a.correlation -> 'rule_ids' ->> 0,
		                    '') not in ('same_record', 'provisioned') end
		    returning a.identity_id
		)
		select (select count(identity_id) from changed), ` +
		fmt.Sprintf(
			openOwners,
			`select `+account.Display+` as display from account a where a.tenant_id = current_tenant() and a.id = o.id`,
		)
}

// fromSource says that an account's owner was taken from the target and not correlated or assigned.
const fromSource = `a.correlation_state = 'linked' and coalesce(a.correlation -> 'rule_ids' ->> 0, '') = '` +
	matching.SourceOwner + `'`

// sourceOwner explains the link of an account to the owner whom its target system names.
const sourceOwner = `'{"rule_ids": ["` + matching.SourceOwner +
	`"], "score": 1, "explanation": ["the target system names this owner of the account"]}'`

// giveOwners makes the owners whom target systems name owners of their entitlements. Owners that a person set stay, and
// only those that came from the source go when it no longer names them. Nothing happens to an entitlement while a
// person's decision about its owners is newer than what the source says.
const giveOwners = `, wanted as materialized (
		    select x.id, coalesce(array_agg(distinct o.identity_id) filter (where o.identity_id is not null),
		        '{}') as ids
		      from object x
		      left join owner o on o.id = x.id
		     group by x.id
		), parted as materialized (
		    select e.id, e.owner_ids as before, w.ids, array(select u.o
		        from unnest(e.owner_ids) with ordinality u (o, n)
		                                                      where u.o <> all(e.source_owner_ids)
		                                                          order by u.n) as set_by_hand
		      from wanted w
		      join entitlement e
		        on e.tenant_id = current_tenant()
		       and e.id = w.id
		     where not e.owners_decided
		), told as materialized (
		    select p.id, p.before, p.set_by_hand, array(select o from unnest(p.ids) o
		        where o <> all(p.set_by_hand)) as from_source
		      from parted p
		), changed as (
		    update entitlement e
		       set owner_ids = t.set_by_hand || t.from_source, source_owner_ids = t.from_source, updated_at = now(),
		           version = e.version + 1
		      from told t
		     where e.tenant_id = current_tenant()
		       and e.id = t.id
		       and e.owner_ids = t.before
		       and not e.owners_decided
		       and e.source_owner_ids <> t.from_source
		    returning e.id, e.name, e.created_run_id, t.before, e.owner_ids
		), news as (
		    select c.id, c.name, c.before, c.owner_ids as after
		      from changed c
		     where c.created_run_id is distinct from @run
		     order by c.id
		     limit @told
		)
		select coalesce((select jsonb_agg(to_jsonb(n)) from news n), '[]'), (select count(*) from changed), `
