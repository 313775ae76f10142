package people

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// Meets says whether a person meets a condition now. One that cannot be read is met by nobody.
func Meets(ctx context.Context, tx *pg.Tx, now time.Time, identityID string, raw any) (met bool, err error) {
	text, err := json.Marshal(raw)
	if err != nil {
		return false, fmt.Errorf("condition of a wait: %w", err)
	}
	c, problems := condition.Parse(text)
	if len(problems) > 0 {
		return false, nil
	}
	p, err := person(ctx, tx, now, identityID, c.Needs())
	if err != nil {
		return false, err
	}
	err = identity.EachFacts(ctx, tx, []string{identityID}, func(_ string, facts identity.Facts) error {
		p.Identity = facts
		met, _ = c.Match(p)
		return nil
	})
	return met, err
}

// person gathers what a condition asks about somebody beyond their own fields. Here it does not matter how they came by
// what they hold.
func person(
	ctx context.Context,
	tx *pg.Tx,
	now time.Time,
	id string,
	n fact.Needs,
) (*fact.Person, error) {
	usual, err := rules.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	p := &fact.Person{}
	if p.Day, err = time.Parse(time.DateOnly, usual.Today(now)); err != nil {
		return nil, fmt.Errorf("the tenant's day: %w", err)
	}
	const roles = `
		select n.name
		  from access_reason x
		  join role r on r.tenant_id = x.tenant_id and r.id = x.role_id
		 cross join lateral unnest(array[r.id::text, r.key]) n (name)
		 where x.tenant_id = current_tenant() and x.identity_id = @id and x.state = 'active' and x.effect = 'allow'
		     and n.name = any(@named)
		 union
		select n.name
		  from role_assignment a
		  join role r on r.tenant_id = a.tenant_id and r.id = a.role_id
		 cross join lateral unnest(array[r.id::text, r.key]) n (name)
		 where a.tenant_id = current_tenant() and a.identity_id = @id and a.state = 'active' and n.name = any(@named)`
	const entitlements = `
		select x.entitlement_id::text
		  from access_reason x
		 where x.tenant_id = current_tenant() and x.identity_id = @id and x.state = 'active' and x.effect = 'allow'
		     and x.entitlement_id::text = any(@named)`
	above, err := fact.ManagersAbove(ctx, tx, []string{id}, n.Managers)
	if err != nil {
		return nil, err
	}
	p.Managers = above[id]
	if p.Roles, err = fact.Named(ctx, tx, roles, id, n.Roles); err != nil {
		return nil, err
	}
	p.Entitlements, err = fact.Named(ctx, tx, entitlements, id, n.Entitlements)
	return p, err
}
