package organization

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// most is how many members of a role are asked; the others are not looked at.
const most = 500

// managersOf are the managers above people, the nearest first, up to MaxManagerLevel. The bound
// also ends the recursion in a line of managers that goes round in a circle.
func managersOf(ctx context.Context, tx *pg.Tx, ids []string) (map[string][]string, error) {
	const sql = `
		with recursive up (id, above, level) as (
		    select i.id, i.manager_id, 1
		      from identity i
		     where i.id = any(@ids::text[]::uuid[])
		       and i.manager_id is not null
		     union all
		    select up.id, m.manager_id, up.level + 1
		      from up
		      join identity m on m.id = up.above
		     where m.manager_id is not null
		       and up.level < @deep
		)
		select up.id::text, array_agg(up.above::text order by up.level)
		  from up
		 group by up.id`
	return lists(ctx, tx, "find managers", sql, pgx.NamedArgs{"ids": ids, "deep": approval.MaxManagerLevel})
}

// lists reads rows of a name and a list.
func lists(ctx context.Context, tx *pg.Tx, what, sql string, args pgx.NamedArgs) (map[string][]string, error) {
	found := map[string][]string{}
	var name string
	var list []string
	if err := pg.Each(
		ctx,
		tx,
		what,
		[]any{&name, &list},
		func() error { found[name] = slices.Clone(list); return nil },
		sql,
		args,
	); err != nil {
		return nil, err
	}
	return found, nil
}

// membersOf finds who holds roles: by an assignment, of the role or of one that it is a part of, or something through
// it by a rule.
func membersOf(ctx context.Context, tx *pg.Tx, roles []string) (map[string][]string, error) {
	const sql = `
		with recursive tree (root, id) as (
		    select r.id, r.id
		      from role r
		     where r.id = any(@roles::text[]::uuid[])
		     union
		    select t.root, c.role_id
		      from tree t
		      join role_child c on c.child_id = t.id
		), holder as (
		    select t.root, a.identity_id
		      from tree t
		      join role_assignment a on a.role_id = t.id and a.state = 'active'
		     union
		    select x.role_id, x.identity_id
		      from access_reason x
		     where x.role_id = any(@roles::text[]::uuid[])
		       and x.state = 'active'
		       and x.effect = 'allow'
		), numbered as (
		    select h.root, h.identity_id, row_number() over (partition by h.root order by h.identity_id) as n
		      from holder h
		)
		select n.root::text, array_agg(n.identity_id::text order by n.n)
		  from numbered n
		 where n.n <= @most
		 group by n.root`
	if len(roles) == 0 {
		return map[string][]string{}, nil
	}
	return lists(ctx, tx, "find members of roles", sql, pgx.NamedArgs{"roles": roles, "most": most})
}

// usersWith finds active users by their roles. Auditors change nothing, so that one counts only who has another role
// beside.
func usersWith(ctx context.Context, tx *pg.Tx, roles []string) (map[string][]string, error) {
	const sql = `
		with numbered as (
		    select r.role, coalesce(u.identity_id::text, '') as identity,
		        row_number() over (partition by r.role order by u.id) as n
		      from app_user u
		     cross join unnest(u.roles) r (role)
		     where u.status = 'active'
		       and u.deleted_at is null
		       and r.role = any(@roles)
		       and (r.role <> 'auditor' or u.roles && array['admin', 'manager', 'resource_owner'])
		       and (u.identity_id is null or unable_to_decide(u.identity_id) not in ('left', 'unknown'))
		)
		select n.role, array_agg(n.identity order by n.n)
		  from numbered n
		 where n.n <= @most
		 group by n.role`
	return lists(ctx, tx, "find users by role", sql, pgx.NamedArgs{"roles": roles, "most": most})
}
