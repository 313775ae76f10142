package chain

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// turns are what has changed in the organisation, by kind.
type turns struct {
	people, things, members []string
	users, everything       bool
	n                       int
}

// takeTurns takes what has changed, and has the chains looked at that it may concern: those of people at or beneath whom somebody's
// manager or status is another one, those that ask them or somebody for whom they act, those about things with other owners, and those
// that ask who has a role, or nobody. It says how many changes it took.
func (s *Service) takeTurns(ctx context.Context, v viewer.Viewer) (n int, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		t, err := takeTurns(ctx, tx)
		if n = t.n; err != nil || n == 0 {
			return err
		}
		return t.mark(ctx, tx, s)
	})
	if err != nil {
		return 0, fmt.Errorf("follow the organisation: %w", err)
	}
	return n, nil
}

func takeTurns(ctx context.Context, tx *pg.Tx) (t turns, err error) {
	const sql = `
		with next as (
		    select n.id from chain_turn n where n.tenant_id = current_tenant() order by n.id limit 1000 for update skip locked
		), taken as (
		    delete from chain_turn n using next where n.tenant_id = current_tenant() and n.id = next.id returning n.kind, n.subject_id
		)
		select distinct kind, coalesce(subject_id::text, '') from taken`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return t, fmt.Errorf("take turns: %w", err)
	}
	var kind, id string
	_, err = pgx.ForEachRow(rows, []any{&kind, &id}, func() error {
		t.n++
		switch kind {
		case "person":
			t.people = append(t.people, id)
		case "thing":
			t.things = append(t.things, id)
		case "member":
			t.members = append(t.members, id)
		case "user":
			t.users = true
		default:
			t.everything = true
		}
		return nil
	})
	if err != nil {
		return t, fmt.Errorf("take turns: %w", err)
	}
	return t, nil
}

// mark has chains looked at. It climbs from the people of open chains, who are few, rather than down from whoever has changed. union, so
// that a cycle of managers ends.
func (t turns) mark(ctx context.Context, tx *pg.Tx, s *Service) error {
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
		       and (s.identity_id = any(@people::text[]::uuid[]) or s.acting_for = any(@people::text[]::uuid[]) or @users and s.role <> '')
		     union
		    select l.item_id
		      from live l
		     where l.role_id = any(@things::text[]::uuid[])
		        or l.entitlement_id = any(@things::text[]::uuid[])
		        or l.role_id in (select r.role_id from role_entitlement r where r.tenant_id = current_tenant() and r.entitlement_id = any(@things::text[]::uuid[]))
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
	args := pgx.NamedArgs{"people": list(t.people), "things": list(t.things), "members": list(t.members), "users": t.users, "everything": t.everything, "now": s.Now()}
	if _, err := tx.Exec(ctx, sql, args); err != nil {
		return fmt.Errorf("find approvals that a change concerns: %w", err)
	}
	return nil
}
