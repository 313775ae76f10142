package exemption

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// Apply notes for people, by ID, the policies of a book that do not apply to them.
func Apply(ctx context.Context, tx *pg.Tx, b *rulebook.Book, people map[string]*effective.Person, now time.Time) error {
	exempt, err := Of(ctx, tx, b, slices.Sorted(maps.Keys(people)), now)
	for id, policies := range exempt {
		people[id].Access.Exempt = policies
	}
	return err
}

// Of returns the IDs of the policies that do not apply to people, by the ID of the person. Only people who are exempt
// from a policy are in the result.
func Of(
	ctx context.Context,
	tx *pg.Tx,
	b *rulebook.Book,
	ids []string,
	now time.Time,
) (map[string]map[string]bool, error) {
	var policies []rulebook.Policy
	var needs fact.Needs
	for _, p := range b.Policies {
		if p.Exempts {
			policies, needs = append(policies, p), needs.And(p.Exempt.Needs())
		}
	}
	if len(policies) == 0 || len(ids) == 0 {
		return nil, nil
	}
	exempt := map[string]map[string]bool{}
	err := EachPerson(ctx, tx, ids, needs, now, func(id string, person *fact.Person) error {
		for _, p := range policies {
			if met, _ := p.Exempt.Match(person); met {
				if exempt[id] == nil {
					exempt[id] = map[string]bool{}
				}
				exempt[id][p.ID] = true
			}
		}
		return nil
	})
	return exempt, err
}

// EachPerson calls fn with the facts about each of the people, one after the other as they are read, as far as
// conditions need them. It does not matter how people came by their roles and entitlements. fn may not use the
// transaction.
func EachPerson(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	needs fact.Needs,
	now time.Time,
	fn func(id string, person *fact.Person) error,
) error {
	usual, err := rules.Find(ctx, tx)
	if err != nil {
		return err
	}
	today, err := time.Parse(time.DateOnly, usual.Today(now))
	if err != nil {
		return err
	}
	above, err := fact.ManagersAbove(ctx, tx, ids, needs.Managers)
	if err != nil {
		return err
	}
	roles, entitlements, err := held(ctx, tx, ids, needs)
	if err != nil {
		return err
	}
	return identity.EachFacts(ctx, tx, ids, func(id string, f identity.Facts) error {
		return fn(id, &fact.Person{Identity: f, Managers: above[id], Roles: roles[id], Entitlements: entitlements[id],
			Day: today})
	})
}

// held finds which of the roles and entitlements that conditions name people have.
func held(ctx context.Context, tx *pg.Tx, ids []string, needs fact.Needs) (roles, entitlements set, err error) {
	roles, entitlements = set{}, set{}
	if len(needs.Roles)+len(needs.Entitlements) == 0 {
		return roles, entitlements, nil
	}
	const sql = `
		select a.identity_id::text, r.id::text, r.key, ''
		  from role_assignment a
		  join role r on r.id = a.role_id
		 where a.identity_id = any(@ids::text[]::uuid[])
		   and a.state = 'active'
		   and (r.id::text = any(@roles) or r.key = any(@roles))
		 union
		select x.identity_id::text, r.id::text, r.key, ''
		  from access_reason x
		  join role r on r.id = x.role_id
		 where x.identity_id = any(@ids::text[]::uuid[])
		   and x.state = 'active'
		   and x.effect = 'allow'
		   and (r.id::text = any(@roles) or r.key = any(@roles))
		 union
		select a.identity_id::text, '', '', g.entitlement_id::text
		  from account a
		  join access_grant g on g.account_id = a.id
		 where a.identity_id = any(@ids::text[]::uuid[])
		   and holds_access(g.status)
		   and g.entitlement_id::text = any(@entitlements)`
	var id, role, key, entitlement string
	err = pg.Each(ctx, tx, "find what people hold", []any{&id, &role, &key, &entitlement}, func() error {
		roles.put(id, role, key)
		entitlements.put(id, entitlement)
		return nil
	}, sql, pgx.NamedArgs{"ids": ids, "roles": needs.Roles, "entitlements": needs.Entitlements})
	return roles, entitlements, err
}

// set is a set of names, by ID.
type set map[string]map[string]bool

func (s set) put(id string, names ...string) {
	if s[id] == nil {
		s[id] = map[string]bool{}
	}
	for _, n := range names {
		if n != "" {
			s[id][n] = true
		}
	}
}
