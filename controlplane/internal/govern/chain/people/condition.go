package people

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
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
	n condition.Needs,
) (*condition.Person, error) {
	usual, err := rules.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	p := &condition.Person{}
	if p.Day, err = time.Parse(time.DateOnly, usual.Today(now)); err != nil {
		return nil, fmt.Errorf("the tenant's day: %w", err)
	}
	// union, so that a cycle of managers ends.
	const managers = `
		with recursive up (id) as (
		    select i.manager_id from identity i where i.tenant_id = current_tenant() and i.id = @id
		        and i.manager_id is not null
		     union
		    select m.manager_id from up join identity m on m.tenant_id = current_tenant() and m.id = up.id
		        where m.manager_id is not null
		)
		select n.name
		  from up
		  join identity m on m.tenant_id = current_tenant() and m.id = up.id and m.id <> @id
		 cross join lateral unnest(array[m.id::text, m.external_id]) n (name)
		 where n.name = any(@named)`
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
	if p.Managers, err = named(ctx, tx, managers, id, n.Managers); err != nil {
		return nil, err
	}
	if p.Roles, err = named(ctx, tx, roles, id, n.Roles); err != nil {
		return nil, err
	}
	p.Entitlements, err = named(ctx, tx, entitlements, id, n.Entitlements)
	return p, err
}

func named(ctx context.Context, tx *pg.Tx, sql, id string, names []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(names) == 0 {
		return found, nil
	}
	var name string
	if err := pg.Each(
		ctx,
		tx,
		"read what conditions ask",
		[]any{&name},
		func() error { found[name] = true; return nil },
		sql,
		pgx.NamedArgs{"id": id, "named": names},
	); err != nil {
		return nil, err
	}
	return found, nil
}
