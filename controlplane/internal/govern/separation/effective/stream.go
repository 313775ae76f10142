package effective

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// streamSQL finds which of some entitlements each person has, will have, or had. Inherited grants have rows of their
// own. Pending access counts with everything above it in the nesting.
const streamSQL = `
	with recursive named (id) as materialized (
	    select id from unnest(@named::text[]::uuid[]) id
	), below (named_id, id) as (
	    select n.id, n.id from named n
	     union
	    select b.named_id, e.member_id from below b join entitlement_edge e on e.parent_id = b.id
	), pending (identity_id, entitlement_id) as (
	    select r.identity_id, r.entitlement_id
	      from access_reason r
	     where r.identity_id > @after::uuid and r.identity_id <= @last::uuid
	       and r.state <> 'ended' and r.effect = 'allow'
	       and r.entitlement_id in (select b.id from below b)
	     union all
	    select i.beneficiary_id, i.entitlement_id
	      from access_request_item i
	     where i.beneficiary_id > @after::uuid and i.beneficiary_id <= @last::uuid
	       and i.entitlement_id is not null and i.kind = 'grant' and not i.given
	       and i.status in ('submitted', 'pending_approval', 'blocked', 'approved', 'scheduled', 'provisioning')
	     union all
	    select i.beneficiary_id, x.entitlement_id
	      from access_request_item i
	     cross join roles_within(array[i.role_id]) w
	      join role_entitlement x on x.role_id = w.part_id
	     where i.beneficiary_id > @after::uuid and i.beneficiary_id <= @last::uuid
	       and i.role_id is not null and i.kind = 'grant' and not i.given
	       and i.status in ('submitted', 'pending_approval', 'blocked', 'approved', 'scheduled', 'provisioning')
	     union all
	    select t.identity_id, t.entitlement_id
	      from provisioning_task t
	     where t.identity_id > @after::uuid and t.identity_id <= @last::uuid
	       and t.operation = 'grant' and t.entitlement_id is not null
	       and t.state in ('queued', 'blocked', 'running', 'verifying', 'retrying', 'manual')
	), found (identity_id, entitlement_id) as (
	    select a.identity_id, g.entitlement_id
	      from access_grant g
	      join account a on a.id = g.account_id
	     where a.identity_id > @after::uuid and a.identity_id <= @last::uuid
	       and holds_access(g.status)
	       and g.entitlement_id in (select n.id from named n)
	     union all
	    select p.identity_id, b.named_id
	      from pending p
	      join below b on b.id = p.entitlement_id
	     union all
	    select a.identity_id, p.entitlement_id
	      from access_grant_past p
	      join account a on a.id = p.account_id
	     where @past and a.identity_id > @after::uuid and a.identity_id <= @last::uuid and p.until >= @since
	       and p.entitlement_id in (select n.id from named n)
	     union all
	    select o.identity_id, g.entitlement_id
	      from account_owner_past o
	      join (select account_id, entitlement_id, since, until from access_grant_past
	             union all
	            select account_id, entitlement_id, as_is_since, now() from access_grant) g
	        on g.account_id = o.account_id and g.since < o.until and g.until > o.since
	     where @past and o.identity_id > @after::uuid and o.identity_id <= @last::uuid and o.until >= @since
	       and g.entitlement_id in (select n.id from named n)
	)
	select f.identity_id, array_agg(f.entitlement_id)
	  from found f
	 group by f.identity_id
	 order by f.identity_id`

// Range is a part of all people: those with IDs above After, up to Last. Empty bounds are none.
type Range struct{ After, Last string }

// Stream calls each with every person in a range who has, will have or had any of the named entitlements, and with
// those, in the order of the people's IDs. A person who has none of them is left out. The lists may repeat an
// entitlement, and are valid during the call alone.
func Stream(
	ctx context.Context,
	tx *pg.Tx,
	of Range,
	named []string,
	past time.Duration,
	now time.Time,
	each func(identityID string, entitlementIDs []string) error,
) error {
	names := make(map[uuid.UUID]string, len(named))
	for _, id := range named {
		key, err := uuid.Parse(id)
		if err != nil {
			return err
		}
		names[key] = id
	}
	of.After, of.Last = cmp.Or(of.After, uuid.Nil.String()), cmp.Or(of.Last, uuid.Max.String())
	var person uuid.UUID
	var found []uuid.UUID
	var list []string
	return pg.Each(ctx, tx, "stream access", []any{&person, &found}, func() error {
		list = list[:0]
		for _, id := range found {
			list = append(list, names[id])
		}
		return each(person.String(), list)
	}, streamSQL, pgx.NamedArgs{"named": named, "after": of.After, "last": of.Last, "past": past > 0,
		"since": now.Add(-past)})
}
