package requirement

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/constraint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Requirement is what a policy with the effect require says, compiled.
type Requirement struct {
	// because are the IDs of the roles, entitlements and systems of which a person must hold one for the policy to
	// apply to them. narrowed: there are such; otherwise it applies to everyone who meets its condition.
	because  []string
	narrowed bool
	// items are the roles and entitlements that the person must have.
	items []item
	// training is what they must have completed. Nil: none.
	training *string
	// manager says that they must have one.
	manager bool
}

// item is a role or an entitlement that people must have.
type item struct {
	constraint.MissingItem
	connector string // of an entitlement
}

// Book is the requirements of some policies, with what must be read of people to evaluate them.
type Book struct {
	// ByPolicy are the requirements by the ID of their policy.
	ByPolicy map[string]Requirement
	// named are all IDs that the requirements name.
	named []string
}

// Compile reads what the policies of the effect require name. Roles and entitlements that are out of use, and so cannot
// be had, are left out.
func Compile(ctx context.Context, tx *pg.Tx, policies []accesspolicy.AccessPolicy) (Book, error) {
	b := Book{ByPolicy: map[string]Requirement{}}
	var ids []string
	policies = slices.DeleteFunc(slices.Clone(policies), func(p accesspolicy.AccessPolicy) bool {
		return p.Effect != accesspolicy.Require
	})
	if len(policies) == 0 {
		return b, nil
	}
	for _, p := range policies {
		ids = append(ids, p.Companion.IDs()...)
	}
	items, err := readItems(ctx, tx, accesspolicy.Distinct(ids))
	if err != nil {
		return b, err
	}
	for _, p := range policies {
		r := Requirement{training: p.Constraints.NeedsTraining, manager: p.Constraints.NeedsManager}
		r.narrowed = p.Resources.Named()
		r.because = slices.Concat(p.Resources.RoleIDs, p.Resources.EntitlementIDs, p.Resources.ConnectorIDs)
		for _, id := range p.Companion.IDs() {
			if i, usable := items[id]; usable {
				r.items = append(r.items, i)
			}
		}
		b.ByPolicy[p.ID] = r
		b.named = slices.Concat(b.named, r.because, p.Companion.IDs())
	}
	b.named = accesspolicy.Distinct(b.named)
	return b, nil
}

// readItems reads the roles and entitlements that can be had.
func readItems(ctx context.Context, tx *pg.Tx, ids []string) (map[string]item, error) {
	const sql = `
		select 'entitlement', e.id::text, coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id),
		       e.connector_id::text
		  from entitlement e
		 where e.id = any(@ids::text[]::uuid[])
		   and e.lifecycle <> 'retired'
		   and e.removed_at is null
		   and e.connector_id is not null
		 union all
		select 'role', r.id::text, r.name, ''
		  from role r
		 where r.id = any(@ids::text[]::uuid[])
		   and r.lifecycle in ('active', 'deprecated')`
	items := map[string]item{}
	var i item
	var id string
	into := []any{&i.Type, &id, &i.Display, &i.connector}
	err := pg.Each(ctx, tx, "read required access", into, func() error {
		one := i
		one.ID = new(id)
		items[id] = one
		return nil
	}, sql, pgx.NamedArgs{"ids": ids})
	return items, err
}

// Holdings are what one person holds and is denied of what a book names, by ID. A denied system is in it by the ID of
// its connector.
type Holdings struct{ held, denied map[string]bool }

// Holdings reads what people hold of what the requirements name, by person. People who hold nothing of it are left out.
// An entitlement is held by a grant, direct or inherited, or by a reason that is being provisioned; a role by an
// assignment or a reason; a system by an account. Access that is only requested is not held.
func (b Book) Holdings(ctx context.Context, tx *pg.Tx, people []string) (map[string]Holdings, error) {
	const sql = `
		select a.identity_id::text, g.entitlement_id::text, false
		  from account a
		  join access_grant g on g.account_id = a.id
		 where a.identity_id = any(@people::text[]::uuid[])
		   and g.entitlement_id = any(@named::text[]::uuid[])
		   and holds_access(g.status)
		 union
		select a.identity_id::text, a.connector_id::text, false
		  from account a
		 where a.identity_id = any(@people::text[]::uuid[])
		   and a.connector_id = any(@named::text[]::uuid[])
		   and a.status in ('active', 'locked', 'disabled')
		 union
		select a.identity_id::text, a.role_id::text, false
		  from role_assignment a
		 where a.identity_id = any(@people::text[]::uuid[])
		   and a.role_id = any(@named::text[]::uuid[])
		   and a.state = 'active'
		 union
		select r.identity_id::text, n.id::text, r.effect = 'deny'
		  from access_reason r
		 cross join lateral (select r.entitlement_id
		                      union all
		                     select r.role_id
		                      union all
		                     select r.connector_id where r.entitlement_id is null and r.effect = 'deny') n (id)
		 where r.identity_id = any(@people::text[]::uuid[])
		   and r.state = 'active'
		   and n.id is not null
		   and (n.id = any(@named::text[]::uuid[]) or r.entitlement_id is null and r.effect = 'deny')`
	found := map[string]Holdings{}
	if len(b.named) == 0 || len(people) == 0 {
		return found, nil
	}
	var person, id string
	var denied bool
	err := pg.Each(ctx, tx, "read what people hold of required access", []any{&person, &id, &denied}, func() error {
		h, known := found[person]
		if !known {
			h = Holdings{held: map[string]bool{}, denied: map[string]bool{}}
			found[person] = h
		}
		if denied {
			h.denied[id] = true
		} else {
			h.held[id] = true
		}
		return nil
	}, sql, pgx.NamedArgs{"people": people, "named": b.named})
	return found, err
}

// Concerns reports whether the policy requires something of a person with these holdings who meets its condition.
func (r Requirement) Concerns(h Holdings) bool {
	return !r.narrowed || slices.ContainsFunc(r.because, func(id string) bool { return h.held[id] })
}

// Missing returns what a person lacks: roles and entitlements in the order of the policy, then the training, then the
// manager. What they are denied is left out. fields are the members of their identity, as conditions read them.
func (r Requirement) Missing(h Holdings, fields map[string]any) []constraint.MissingItem {
	var missing []constraint.MissingItem
	for _, i := range r.items {
		if !h.held[*i.ID] && !h.denied[*i.ID] && !h.denied[i.connector] {
			missing = append(missing, i.MissingItem)
		}
	}
	if r.training != nil && !constraint.Trained(fields, *r.training) {
		missing = append(missing, constraint.MissingItem{Type: "training", Display: *r.training})
	}
	if manager, _ := fields["manager"].(map[string]any); r.manager && manager == nil {
		missing = append(missing, constraint.MissingItem{Type: "manager", Display: "a manager"})
	}
	return missing
}
