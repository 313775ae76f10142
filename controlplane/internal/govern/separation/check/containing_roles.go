package check

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// container is a role that contains another one, with what the rest of it gives.
type container struct {
	ID   string
	Name string
	Rest []string // IDs of entitlements
}

// RolesAround refuses contents that are added to a role if a role that contains it, directly or not, would then violate
// an enforced policy that blocks assignments. removed are entitlements that the role loses by the same change.
// Violations that the added contents are no part of are left to others. Policies about access that is missing, and
// about the past, depend on the person and are left out.
func RolesAround(
	ctx context.Context,
	tx *pg.Tx,
	roleID, name string,
	addedEntitlements, addedRoles, removed []string,
	now time.Time,
) error {
	book, err := rulebook.For(ctx, tx)
	if err != nil || len(book.Rules.Policies()) == 0 || roleID == "" || len(addedEntitlements)+len(addedRoles) == 0 {
		return err
	}
	const sql = `
		select p.id::text, p.name,
		       array(select distinct x.entitlement_id::text
		               from roles_within(array[p.id]) w
		               join role_entitlement x on x.role_id = w.part_id
		              where not (x.role_id = $1 and x.entitlement_id = any($2::text[]::uuid[])))
		  from role p
		 where p.id in (select roles_around(array[$1::uuid]))
		   and p.id <> $1
		   and p.lifecycle in ('active', 'deprecated')
		 order by p.name, p.id`
	var around []container
	var c container
	if err := pg.Each(ctx, tx, "read roles that contain a role", []any{&c.ID, &c.Name, &c.Rest}, func() error {
		around = append(around, c)
		c.Rest = nil
		return nil
	}, sql, roleID, removed); err != nil || len(around) == 0 {
		return err
	}
	found, of, err := violatingRoles(ctx, tx, book, around, addedEntitlements, addedRoles, now)
	if err != nil || len(found) == 0 {
		return err
	}
	described, err := Describe(ctx, tx, book, found)
	if err != nil {
		return err
	}
	v := SeparationVerdict{Violations: described[:1], Effect: Block}
	v.Violations[0].Effect = Block
	return v.Refusal("The role " + of[0].Name + ", which contains " + name + ",")
}

// violatingRoles returns the violations that added contents cause in roles, and the roles in the same order. Without
// added contents, it returns the violations that the roles are by themselves.
func violatingRoles(
	ctx context.Context,
	tx *pg.Tx,
	book *rulebook.Book,
	around []container,
	addedEntitlements, addedRoles []string,
	now time.Time,
) (found []Found, of []container, err error) {
	changes, keys := map[string]effective.Changes{}, make([]string, len(around))
	for i, r := range around {
		var c effective.Changes
		for _, id := range addedEntitlements {
			c.Add = append(c.Add, effective.Addition{ID: id, EntitlementID: id})
		}
		for _, id := range addedRoles {
			c.Add = append(c.Add, effective.Addition{ID: id, RoleID: id})
		}
		for _, id := range r.Rest {
			c.Add = append(c.Add, effective.Addition{ID: id, EntitlementID: id})
		}
		keys[i] = uuid.NewString() // of a person who has nothing else
		changes[keys[i]] = c
	}
	people, err := effective.LoadChanged(ctx, tx, changes, false, 0, now)
	if err != nil {
		return nil, nil, err
	}
	for i, key := range keys {
		p := people[key]
		own := p.Added()
		if added := len(addedEntitlements) + len(addedRoles); added > 0 {
			own = own[:added]
		}
		for _, v := range Involving(book.Rules.Check(&p.Access), own) {
			if definition.Refuses(book.Policies[v.Policy.ID].EffectOnAssignment()) &&
				!slices.Contains([]conflict.Kind{conflict.Companion, conflict.History}, v.Policy.Kind) {
				found, of = append(found, Found{Person: p, Violation: v}), append(of, around[i])
			}
		}
	}
	return found, of, nil
}
