package requestcatalog

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// everybody is why something is visible that no condition limits.
const everybody = "open to all"

// audience says why somebody meets a condition that is stored with a role or an entitlement; false: they do not. One
// that cannot be read is met by nobody.
type audience map[string]string

// audienceOf looks which of these conditions somebody meets.
func audienceOf(ctx context.Context, tx *pg.Tx, identity string, conditions []string) (audience, error) {
	met := audience{}
	if len(conditions) == 0 {
		return met, nil
	}
	parsed, needs := map[string]condition.Condition{}, fact.Needs{}
	for _, text := range conditions {
		if c, problems := condition.Parse([]byte(text)); len(problems) == 0 {
			parsed[text], needs = c, needs.And(c.Needs())
		}
	}
	facts, err := factsOf(ctx, tx, identity, needs)
	if err != nil || facts == nil {
		return met, err
	}
	for text, c := range parsed {
		if is, _ := c.Match(facts); is {
			met[text] = "its condition is met: " + c.Sentence()
		}
	}
	return met, nil
}

// factsOf reads what conditions ask about somebody; nil: there is no such person.
func factsOf(ctx context.Context, tx *pg.Tx, id string, needs fact.Needs) (*fact.Person, error) {
	usual, err := rules.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	today, err := time.Parse(time.DateOnly, usual.Today(time.Now()))
	if err != nil {
		return nil, fmt.Errorf("the tenant's day: %w", err)
	}
	var p *fact.Person
	err = identity.EachFacts(ctx, tx, []string{id}, func(_ string, f identity.Facts) error {
		p = &fact.Person{Identity: f, Day: today}
		return nil
	})
	if err != nil || p == nil {
		return nil, err
	}
	above, err := fact.ManagersAbove(ctx, tx, []string{id}, needs.Managers)
	if err != nil {
		return nil, err
	}
	p.Managers = above[id]
	if p.Roles, err = fact.Named(ctx, tx, rolesHeld, id, needs.Roles); err != nil {
		return nil, err
	}
	p.Entitlements, err = fact.Named(ctx, tx, entitlementsHeld, id, needs.Entitlements)
	return p, err
}

// Which of the @named roles and entitlements somebody holds. Here it does not matter how they came by them: what is
// offered to somebody gives them nothing yet.
const (
	rolesHeld = `
		select n.name
		  from (select x.role_id
		          from access_reason x
		         where x.identity_id = @id and x.state = 'active' and x.effect = 'allow' and x.role_id is not null
		         union
		        select a.role_id from role_assignment a where a.identity_id = @id and a.state = 'active') h
		  join role r on r.id = h.role_id
		 cross join lateral unnest(array[r.id::text, r.key]) n (name)
		 where n.name = any(@named)`
	entitlementsHeld = `
		select x.entitlement_id::text
		  from access_reason x
		 where x.identity_id = @id and x.state = 'active' and x.effect = 'allow'
		     and x.entitlement_id::text = any(@named)
		 union
		select g.entitlement_id::text
		  from account a
		  join access_grant g on g.account_id = a.id
		 where a.identity_id = @id and g.status in ('active', 'ending', 'revoking', 'missing')
		     and g.entitlement_id::text = any(@named)`
)
