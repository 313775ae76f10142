package role

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// count fills in how many people hold something through each role, and how many have it.
func count(ctx context.Context, tx *pg.Tx, of []Role) error {
	const sql = `
		with held as (
		    select distinct x.role_id, x.identity_id
		      from access_reason x
		     where x.role_id = any(@ids::text[]::uuid[])
		       and x.state <> 'ended'
		), had as (
		    select role_id, identity_id from held
		     union
		    select a.role_id, a.identity_id
		      from role_assignment a
		     where a.role_id = any(@ids::text[]::uuid[])
		       and a.state <> 'ended'
		)
		select m.role_id::text, m.n, coalesce(h.n, 0)
		  from (select role_id, count(*) as n from had group by role_id) m
		  left join (select role_id, count(*) as n from held group by role_id) h on h.role_id = m.role_id`
	index := make(map[string]*Role, len(of))
	ids := make([]string, len(of))
	for i := range of {
		index[of[i].ID], ids[i] = &of[i], of[i].ID
	}
	if len(ids) == 0 {
		return nil
	}
	var id string
	var members, holders int64
	return pg.Each(ctx, tx, "count holders of roles", []any{&id, &members, &holders}, func() error {
		index[id].MemberCount, index[id].HolderCount = members, holders
		return nil
	}, sql, pgx.NamedArgs{"ids": ids})
}

// cover finds how many of those who have a role the systems were seen to have given all of it, and a part.
func cover(ctx context.Context, tx *pg.Tx, id string) (c RoleCoverage, err error) {
	const sql = `
		with part as (
		    select distinct e.id
		      from roles_within(array[@id::uuid]) w
		      join role_entitlement x on x.role_id = w.part_id
		      join entitlement e on e.id = x.entitlement_id
		     where e.lifecycle <> 'retired'
		       and e.removed_at is null
		), member as (
		    select x.identity_id
		      from access_reason x
		     where x.role_id = @id
		       and x.state = 'active'
		       and x.effect = 'allow'
		     union
		    select a.identity_id
		      from role_assignment a
		     where a.role_id = @id
		       and a.state = 'active'
		), seen as (
		    select a.identity_id, count(distinct g.entitlement_id) as n
		      from member m
		      join account a on a.identity_id = m.identity_id
		      join access_grant g on g.account_id = a.id
		      join part p on p.id = g.entitlement_id
		     where g.status = 'active'
		     group by a.identity_id
		)
		select count(*) filter (where s.n = w.n), count(*) filter (where s.n < w.n)
		  from seen s
		 cross join (select count(*) as n from part) w`
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": id}).Scan(&c.Full, &c.Partial); err != nil {
		return c, fmt.Errorf("look how far a role is true: %w", err)
	}
	return c, nil
}
