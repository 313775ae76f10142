package fulfil

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// look sees what the ledger and the targets say of fulfilments, by item.
//
// A reason is served when any account that it means was seen to have its entitlement. What has failed is what
// provisioning gave up, be it the grant or the account that it needs; where a person has to act, or a target does not
// answer, it goes on.
func look(ctx context.Context, tx *pg.Tx, of []row) (map[string]sight, error) {
	const sql = `
		with asked as materialized (
		    select f.item_id, f.identity_id, coalesce(f.assignment_id, f.item_id) as source_id
		      from unnest(@items::text[]::uuid[]) i (id)
		      join fulfilment f on f.item_id = i.id
		), given as materialized (
		    select a.item_id, r.id, r.identity_id, r.connector_id, r.entitlement_id, r.account_id, r.state, r.ends_at,
		        r.ended_at, r.end_reason
		      from asked a
		      join access_reason r
		        on r.identity_id = a.identity_id
		       and r.source_id = a.source_id
		       and r.effect = 'allow'
		), seen as materialized (
		    select v.*, g.ids, g.active, g.lost, g.here, g.at, t.ids as tasks, t.gave_up, t.error,
		           exists (select from access_reason d
		                    where d.identity_id = v.identity_id
		                      and d.connector_id = v.connector_id
		                      and d.effect = 'deny'
		                      and d.state = 'active'
		                      and (d.entitlement_id is null or d.entitlement_id = v.entitlement_id)
		                      and (d.account_id is null or d.account_id = v.account_id)) as denied,
		           exists (select from access_reason o
		                    where o.identity_id = v.identity_id
		                      and o.entitlement_id = v.entitlement_id
		                      and o.effect = 'allow'
		                      and o.state = 'active'
		                      and o.id <> v.id) as kept
		      from given v
		     cross join lateral (
		         select array_agg(g.id) as ids,
		                coalesce(bool_or(g.status in ('active', 'ending')), false) as active,
		                coalesce(bool_or(g.status = 'failed'), false) as lost,
		                coalesce(bool_or(g.status in ('active', 'ending', 'revoking') and g.directness = 'direct'),
		                false) as here, max(coalesce(g.granted_at,
		                    g.first_seen_at)) filter (where g.status in ('active', 'ending')) as at
		           from account c
		           join access_grant g
		             on g.account_id = c.id
		            and g.entitlement_id = v.entitlement_id
		          where c.identity_id = v.identity_id
		            and c.connector_id = v.connector_id
		            and (v.account_id is null or c.id = v.account_id)
		     ) g
		     cross join lateral (
		         select array_agg(t.id order by t.id) as ids, coalesce(bool_or(t.state = 'failed'), false) as gave_up,
		                (array_agg(t.error order by t.id desc) filter (where t.error is not null))[1] as error
		           from provisioning_task t
		          where t.identity_id = v.identity_id
		            and t.connector_id = v.connector_id
		            and t.mode <> 'simulate'
		            and t.state <> 'cancelled'
		            and (t.entitlement_id = v.entitlement_id and t.operation in ('grant', 'revoke')
		                or t.operation = 'create_account' and t.state <> 'done')
		     ) t
		)
		select a.item_id::text, jsonb_build_object(
		           'live', count(s.id) filter (where s.state <> 'ended'),
		           'begun', count(*) filter (where s.state = 'active'),
		           'active', count(*) filter (where s.state = 'active' and s.active and not s.denied),
		           'failed', count(*) filter (where s.state = 'active' and not s.active and not s.denied and (s.lost
		           or s.gave_up)), 'denied', count(*) filter (where s.state = 'active' and s.denied),
		           'held', count(*) filter (where s.here and not s.kept),
		           'grants', array(select distinct x from seen m, unnest(m.ids) x where m.item_id = a.item_id
		           order by x), 'tasks', array(select distinct x from seen m,
		           unnest(m.tasks) x where m.item_id = a.item_id order by x), 'seen_at',
		           max(s.at) filter (where s.state = 'active'), 'end_reason',
		           (array_agg(s.end_reason order by s.ended_at desc) filter (where s.state = 'ended'))[1], 'ends_at',
		           case when bool_and(s.ends_at is not null) filter (where s.state <> 'ended') then max(s.ends_at)
		               filter (where s.state <> 'ended') end, 'error',
		               (array_agg(s.error) filter (where s.error is not null and s.state = 'active'
		               and not s.active))[1])
		  from asked a
		  left join seen s on s.item_id = a.item_id
		 group by a.item_id`
	items := make([]string, len(of))
	for i, f := range of {
		items[i] = f.ItemID
	}
	found := map[string]sight{}
	var id string
	var s sight
	if err := pg.Each(
		ctx,
		tx,
		"see how far access is",
		[]any{&id, &s},
		func() error { found[id] = s; s = sight{}; return nil },
		sql,
		pgx.NamedArgs{"items": items},
	); err != nil {
		return nil, err
	}
	return found, nil
}
