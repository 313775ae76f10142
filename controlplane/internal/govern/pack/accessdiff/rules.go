package accessdiff

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/content"
)

// target is something that a policy gives or denies. Without an entitlement it is an account of the system.
type target struct{ connector, entitlement string }

// Rule is an enforced policy, ready to be matched against people.
type Rule struct {
	// deny is true for a policy that denies; when are the statuses of people that it applies to.
	deny      bool
	when      []string
	condition condition.Condition
	targets   []target
}

// Read reads the enforced policies of the tenant as they are now, with the entitlements and accounts that they give or
// deny.
func Read(ctx context.Context, tx *pg.Tx) ([]Rule, error) {
	const sql = `
		select p.effect = 'deny', p.subject, p.resources, array(select jsonb_array_elements_text(p.lifecycle -> 'when'))
		  from access_policy p
		 where p.tenant_id = current_tenant()
		   and p.deleted_at is null
		   and p.enabled
		   and p.mode = 'enforce'
		 order by p.id`
	var all []Rule
	var of []accesspolicy.Resources
	var r Rule
	var subject []byte
	var resources accesspolicy.Resources
	var roles, entitlements []string
	if err := pg.Each(ctx, tx, "read policies for impact", []any{&r.deny, &subject, &resources, &r.when}, func() error {
		parsed, problems := condition.Parse(json.RawMessage(slices.Clone(subject)))
		if len(problems) == 0 {
			all, of = append(
				all,
				Rule{deny: r.deny, when: slices.Clone(r.when), condition: parsed},
			), append(
				of,
				resources,
			)
			roles, entitlements = append(roles, resources.RoleIDs...), append(entitlements, resources.EntitlementIDs...)
		}
		resources, r.when = accesspolicy.Resources{}, nil
		return nil
	}, sql); err != nil {
		return nil, err
	}
	return all, aim(ctx, tx, all, of, roles, entitlements)
}

// aim finds the targets of rules.
func aim(ctx context.Context, tx *pg.Tx, all []Rule, of []accesspolicy.Resources, roles, entitlements []string) error {
	held, err := content.Entitlements(ctx, tx, slices.Compact(slices.Sorted(slices.Values(roles))))
	if err != nil {
		return err
	}
	const sql = `
		select e.id::text, e.connector_id::text
		  from entitlement e
		 where e.tenant_id = current_tenant()
		   and e.id = any ($1::text[]::uuid[])
		   and e.connector_id is not null
		   and e.lifecycle <> 'retired'
		   and e.removed_at is null`
	systems := map[string]string{}
	var id, system string
	if err := pg.Each(
		ctx,
		tx,
		"read what policies give",
		[]any{&id, &system},
		func() error { systems[id] = system; return nil },
		sql,
		slices.Compact(slices.Sorted(slices.Values(entitlements))),
	); err != nil {
		return err
	}
	for i, r := range of {
		for _, c := range r.ConnectorIDs {
			all[i].targets = append(all[i].targets, target{c, ""})
		}
		for _, e := range r.EntitlementIDs {
			if c, ok := systems[e]; ok {
				all[i].targets = append(all[i].targets, target{c, e})
			}
		}
		for _, x := range r.RoleIDs {
			for _, e := range held[x] {
				all[i].targets = append(all[i].targets, target{e.ConnectorID, e.ID})
			}
		}
	}
	return nil
}

// given is what rules give somebody.
func given(all []Rule, status string, p *fact.Person) map[target]bool {
	out, denied := map[target]bool{}, map[target]bool{}
	for _, r := range all {
		if !slices.Contains(r.when, status) {
			continue
		}
		if met, _ := r.condition.Match(p); !met {
			continue
		}
		for _, t := range r.targets {
			if r.deny {
				denied[t] = true
			} else {
				out[t] = true
			}
		}
	}
	for t := range out {
		if denied[t] || denied[target{t.connector, ""}] {
			delete(out, t)
		}
	}
	return out
}
