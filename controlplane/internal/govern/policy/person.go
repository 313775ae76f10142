package policy

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// person is somebody whose rules are looked at.
type person struct {
	condition.Person
	id, status string
	start      time.Time // the start date; zero: none
	warned     []*rule   // that could not be answered in full
	assigned   []role.Assignment
	record     *pyexpr.Record
}

// Record is what expressions read, made once for all of them.
func (p *person) Record() *pyexpr.Record {
	if p.record == nil {
		p.record = pyexpr.NewRecord(p.Identity)
	}
	return p.record
}

// gone says whether the person can hold nothing any more.
func (p *person) gone() bool {
	return p.status == rules.Deactivated || p.status == rules.Archived
}

// text is a member of what is known of them, as text.
func (p *person) text(name string) string {
	s, _ := p.Identity[name].(string)
	return s
}

// eachPerson calls fn for each of the people with everything that the rules ask for. fn may not use the transaction.
func (b *book) eachPerson(ctx context.Context, tx *pg.Tx, ids []string, fn func(p *person) error) error {
	above, err := b.above(ctx, tx, ids)
	if err != nil {
		return err
	}
	roles, entitlements, err := b.held(ctx, tx, ids)
	if err != nil {
		return err
	}
	assigned, err := b.assigned(ctx, tx, ids)
	if err != nil {
		return err
	}
	today := b.today()
	return identity.EachFacts(ctx, tx, ids, func(id string, f identity.Facts) error {
		p := &person{
			id:       id,
			assigned: assigned[id],
			Person: condition.Person{
				Identity:     f,
				Managers:     above[id],
				Roles:        roles[id],
				Entitlements: entitlements[id],
				Day:          today,
			},
		}
		if m, ok := f["manager"].(map[string]any); ok {
			// What else is known of a manager may change without anybody looking at those beneath.
			f["manager"] = map[string]any{"id": m["id"], "external_id": m["external_id"]}
		}
		p.status = p.text("status")
		if s := p.text("start_date"); s != "" {
			start, err := time.Parse(time.DateOnly, s)
			if err != nil {
				return fmt.Errorf("start date of %s: %w", id, err)
			}
			p.start = start
		}
		return fn(p)
	})
}

type set = map[string]map[string]bool

func put(s set, id string, names ...*string) {
	if s[id] == nil {
		s[id] = map[string]bool{}
	}
	for _, n := range names {
		if n != nil {
			s[id][*n] = true
		}
	}
}

// above finds which of the managers that conditions name are above each of the people. union, so that a cycle ends;
// nobody is above themselves by one.
func (b *book) above(ctx context.Context, tx *pg.Tx, ids []string) (set, error) {
	found := set{}
	if len(b.needs.Managers) == 0 {
		return found, nil
	}
	const sql = `
		with recursive up (id, above) as (
		    select i.id, i.manager_id
		      from identity i
		     where i.id = any(@ids::text[]::uuid[])
		       and i.manager_id is not null
		     union
		    select up.id, m.manager_id
		      from up
		      join identity m on m.id = up.above
		     where m.manager_id is not null
		)
		select up.id::text, m.id::text, m.external_id
		  from up
		  join identity m on m.id = up.above
		 where up.id <> m.id
		   and (m.id::text = any(@named) or m.external_id = any(@named))`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": ids, "named": b.needs.Managers})
	if err != nil {
		return nil, fmt.Errorf("find managers above: %w", err)
	}
	var id, manager string
	var external *string
	_, err = pgx.ForEachRow(
		rows,
		[]any{&id, &manager, &external},
		func() error { put(found, id, &manager, external); return nil },
	)
	if err != nil {
		return nil, fmt.Errorf("find managers above: %w", err)
	}
	return found, nil
}

// held finds which of the roles and entitlements that conditions name the people hold otherwise than by a policy or the
// rule of a role: what a rule gives feeds no rule, or rules could give and take in turn for ever. Who was assigned a
// role has it, though it hold nothing.
func (b *book) held(ctx context.Context, tx *pg.Tx, ids []string) (roles, entitlements set, err error) {
	roles, entitlements = set{}, set{}
	if len(b.needs.Roles)+len(b.needs.Entitlements) == 0 {
		return roles, entitlements, nil
	}
	const sql = `
		select x.identity_id::text, r.id::text, r.key, x.entitlement_id::text
		  from access_reason x
		  left join role r on r.id = x.role_id
		 where x.identity_id = any(@ids::text[]::uuid[])
		   and x.state = 'active'
		   and x.effect = 'allow'
		   and x.source_type not in ('policy', 'role')
		   and (r.id::text = any(@roles) or r.key = any(@roles) or x.entitlement_id::text = any(@entitlements))
		 union
		select a.identity_id::text, r.id::text, r.key, null
		  from role_assignment a
		  join role r on r.id = a.role_id
		 where a.identity_id = any(@ids::text[]::uuid[])
		   and a.state = 'active'
		   and (r.id::text = any(@roles) or r.key = any(@roles))`
	rows, err := tx.Query(
		ctx,
		sql,
		pgx.NamedArgs{"ids": ids, "roles": b.needs.Roles, "entitlements": b.needs.Entitlements},
	)
	if err != nil {
		return nil, nil, fmt.Errorf("find what people hold: %w", err)
	}
	var id string
	var role, key, entitlement *string
	_, err = pgx.ForEachRow(rows, []any{&id, &role, &key, &entitlement}, func() error {
		put(roles, id, role, key)
		put(entitlements, id, entitlement)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find what people hold: %w", err)
	}
	return roles, entitlements, nil
}
