package change

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// organization is what has changed in the organization.
type organization struct {
	people, things, members []string
	users, everything       bool
}

// Follow marks the chains that changes of the organization may concern: those of people at or beneath whom a manager
// or status changed, those that ask these people or act for them, those about items with other owners, and those that
// ask users of a role, or nobody.
func Follow(ctx context.Context, tx *pg.Tx, items []queue.Item, now time.Time) error {
	return changed(items).mark(ctx, tx, now)
}

func changed(items []queue.Item) (o organization) {
	for _, item := range items {
		for _, cause := range item.Causes {
			switch cause {
			case causePerson:
				o.people = append(o.people, item.Subject)
			case causeThing:
				o.things = append(o.things, item.Subject)
			case causeMember:
				o.members = append(o.members, item.Subject)
			case causeUser:
				o.users = true
			default:
				o.everything = true
			}
		}
	}
	return o
}

// mark has chains processed. It climbs from the people of open chains, who are few, rather than down from whoever has
// changed. union, so that a cycle of managers ends.
func (o organization) mark(ctx context.Context, tx *pg.Tx, now time.Time) error {
	const sql = `
		with recursive live as (
		    select c.item_id, c.beneficiary_id, c.role_id, c.entitlement_id, c.state, c.plan
		      from chain c
		     where c.tenant_id = current_tenant()
		       and c.state in ('running', 'blocked')
		), up (item_id, id, level) as (
		    select l.item_id, l.beneficiary_id, 0
		      from live l
		     where cardinality(@people::text[]) > 0
		     union
		    select u.item_id, i.manager_id, u.level + 1
		      from up u
		      join identity i on i.tenant_id = current_tenant() and i.id = u.id
		     where i.manager_id is not null and u.level < 6
		), hit as (
		    select u.item_id from up u where u.id = any(@people::text[]::uuid[])
		     union
		    select s.item_id
		      from live l
		      join chain_slot s on s.tenant_id = current_tenant() and s.item_id = l.item_id
		     where s.state = 'open'
		       and (s.identity_id = any(@people::text[]::uuid[]) or s.acting_for = any(@people::text[]::uuid[])
		           or @users and s.role <> '')
		     union
		    select l.item_id
		      from live l
		     where l.role_id = any(@things::text[]::uuid[])
		        or l.entitlement_id = any(@things::text[]::uuid[])
		        or l.role_id in (select r.role_id from role_entitlement r where r.tenant_id = current_tenant()
		            and r.entitlement_id = any(@things::text[]::uuid[]))
		        or l.state = 'blocked'
		        or @everything
		        or exists (select from unnest(@members::text[]) m where position(m in l.plan::text) > 0)
		), mine as (
		    select c.item_id
		      from chain c
		     where c.tenant_id = current_tenant()
		       and c.item_id in (select item_id from hit)
		     order by c.item_id
		       for update
		)
		update chain c
		   set turned = true, look_at = @now
		  from mine
		 where c.tenant_id = current_tenant()
		   and c.item_id = mine.item_id
		   and c.state in ('running', 'blocked')`
	args := pgx.NamedArgs{
		"people":     state.NonNil(o.people),
		"things":     state.NonNil(o.things),
		"members":    state.NonNil(o.members),
		"users":      o.users,
		"everything": o.everything,
		"now":        now,
	}
	return pg.Exec(ctx, tx, "find approvals that a change concerns", sql, args)
}
