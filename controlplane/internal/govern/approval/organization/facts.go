package organization

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// Facts reads what conditions may ask about people, by their ids.
func Facts(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	needs fact.Needs,
	at time.Time,
) (map[string]*fact.Person, error) {
	found := map[string]*fact.Person{}
	ids = approval.SortedSet(ids)
	lifecycle, err := rules.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	today, err := time.Parse(time.DateOnly, lifecycle.Today(at))
	if err != nil {
		return nil, fmt.Errorf("the tenant's date: %w", err)
	}
	above, err := fact.ManagersAbove(ctx, tx, ids, needs.Managers)
	if err != nil {
		return nil, err
	}
	roles, entitlements, err := heldBy(ctx, tx, ids, needs)
	if err != nil {
		return nil, err
	}
	err = identity.EachFacts(ctx, tx, ids, func(id string, f identity.Facts) error {
		found[id] = &fact.Person{
			Identity:     f,
			Managers:     above[id],
			Roles:        roles[id],
			Entitlements: entitlements[id],
			Day:          today,
		}
		return nil
	})
	return found, err
}

// sets are sets of names, by ID.
type sets = map[string]map[string]bool

// put adds names to the set of an ID.
func put(s sets, id string, names ...string) {
	if s[id] == nil {
		s[id] = map[string]bool{}
	}
	for _, n := range names {
		s[id][n] = true
	}
}

// heldBy finds which of the roles and entitlements that conditions name people hold, by whatever reason.
func heldBy(ctx context.Context, tx *pg.Tx, ids []string, needs fact.Needs) (roles, entitlements sets, err error) {
	const sql = `
		select x.identity_id::text, 'role', r.id::text, r.key
		  from access_reason x
		  join role r on r.id = x.role_id
		 where x.identity_id = any(@ids::text[]::uuid[])
		   and x.state = 'active'
		   and x.effect = 'allow'
		   and (r.id::text = any(@roles) or r.key = any(@roles))
		 union
		select a.identity_id::text, 'role', r.id::text, r.key
		  from role_assignment a
		  join role r on r.id = a.role_id
		 where a.identity_id = any(@ids::text[]::uuid[])
		   and a.state = 'active'
		   and (r.id::text = any(@roles) or r.key = any(@roles))
		 union
		select x.identity_id::text, 'entitlement', x.entitlement_id::text, ''
		  from access_reason x
		 where x.identity_id = any(@ids::text[]::uuid[])
		   and x.state = 'active'
		   and x.effect = 'allow'
		   and x.entitlement_id::text = any(@entitlements)
		 union
		select a.identity_id::text, 'entitlement', g.entitlement_id::text, ''
		  from account a
		  join access_grant g on g.account_id = a.id and g.status = 'active'
		 where a.identity_id = any(@ids::text[]::uuid[])
		   and g.entitlement_id::text = any(@entitlements)`
	roles, entitlements = sets{}, sets{}
	if len(needs.Roles)+len(needs.Entitlements) == 0 {
		return roles, entitlements, nil
	}
	var id, what, held, key string
	if err := pg.Each(ctx, tx, "find what people hold", []any{&id, &what, &held, &key}, func() error {
		if what == "role" {
			put(roles, id, held, key)
		} else {
			put(entitlements, id, held)
		}
		return nil
	}, sql, pgx.NamedArgs{"ids": ids, "roles": needs.Roles, "entitlements": needs.Entitlements}); err != nil {
		return nil, nil, err
	}
	return roles, entitlements, nil
}
