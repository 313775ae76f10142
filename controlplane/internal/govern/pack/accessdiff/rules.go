package accessdiff

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
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
	required  accesspolicy.Constraints
	schedule  *accesspolicy.Schedule
	targets   []target
	review    bool           // what it no longer gives stays until a decision
	table     *table.Matcher // nil: the policy has no decision table
	rows      [][]target     // of a decision table: what each row gives
}

// of are the targets for a person who meets the condition: all, or those of the rows that match.
func (r Rule) of(p *fact.Person) []target {
	if r.table == nil {
		return r.targets
	}
	var all []target
	for _, i := range r.table.Match(p.Identity) {
		all = append(all, r.rows[i]...)
	}
	return all
}

// Read reads the enforced policies of the tenant as they are now, with the entitlements and accounts that they give or
// deny.
func Read(ctx context.Context, tx *pg.Tx) ([]Rule, error) {
	const sql = `
		select p.effect = 'deny', p.subject, p.resources, p.constraints, p.schedule, p.decision_table,
		       array(select jsonb_array_elements_text(p.lifecycle -> 'when')),
		       p.lifecycle ->> 'on_no_match' = 'review'
		  from access_policy p
		 where p.tenant_id = current_tenant()
		   and p.deleted_at is null
		   and p.enabled
		   and p.mode = 'enforce'
		   and p.effect in ('assign', 'deny')
		 order by p.id`
	var all []Rule
	var of []accesspolicy.Resources
	var r Rule
	var subject []byte
	var resources accesspolicy.Resources
	var roles, entitlements []string
	var decisions *accesspolicy.DecisionTable
	var err error
	to := []any{&r.deny, &subject, &resources, &r.required, &r.schedule, &decisions, &r.when, &r.review}
	if err = pg.Each(ctx, tx, "read policies for impact", to, func() error {
		parsed, problems := condition.Parse(json.RawMessage(slices.Clone(subject)))
		if len(problems) == 0 {
			all, of = append(
				all,
				Rule{
					deny:      r.deny,
					when:      slices.Clone(r.when),
					condition: parsed,
					required:  r.required,
					schedule:  r.schedule,
					review:    r.review,
					table:     matcher(decisions),
				},
			), append(
				of,
				resources,
			)
			roles, entitlements = append(roles, resources.RoleIDs...), append(entitlements, resources.EntitlementIDs...)
		}
		resources, r.when, r.required, r.schedule = accesspolicy.Resources{}, nil, accesspolicy.Constraints{}, nil
		decisions = nil
		return nil
	}, sql); err != nil {
		return nil, err
	}
	if entitlements, err = addTagged(ctx, tx, all, of, entitlements); err != nil {
		return nil, err
	}
	return all, aim(ctx, tx, all, of, roles, entitlements)
}

// addTagged adds the entitlements with the tags of rules to their resources, and to the list of all.
func addTagged(
	ctx context.Context,
	tx *pg.Tx,
	all []Rule,
	of []accesspolicy.Resources,
	ids []string,
) ([]string, error) {
	policies := make([]accesspolicy.AccessPolicy, len(of))
	for i, r := range of {
		policies[i].Resources, policies[i].Effect = r, accesspolicy.Assign
		if all[i].deny {
			policies[i].Effect = accesspolicy.Deny
		}
	}
	if err := accesspolicy.AddTagged(ctx, tx, policies); err != nil {
		return nil, err
	}
	for i, p := range policies {
		of[i] = p.Resources
		ids = append(ids, p.Resources.EntitlementIDs...)
	}
	return ids, nil
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
	each := func(roles, entitlements []string) (targets []target) {
		for _, e := range entitlements {
			if c, ok := systems[e]; ok {
				targets = append(targets, target{c, e})
			}
		}
		for _, x := range roles {
			for _, e := range held[x] {
				targets = append(targets, target{e.ConnectorID, e.ID})
			}
		}
		return targets
	}
	for i, r := range of {
		for _, c := range r.ConnectorIDs {
			all[i].targets = append(all[i].targets, target{c, ""})
		}
		all[i].targets = append(all[i].targets, each(r.RoleIDs, r.EntitlementIDs)...)
		if all[i].table == nil {
			continue
		}
		for _, row := range all[i].table.Rows() {
			all[i].rows = append(all[i].rows, each(row.RoleIDs, row.EntitlementIDs))
		}
	}
	return nil
}

// openAt are the rules whose schedule lets them apply at a moment.
func openAt(all []Rule, at time.Time) []Rule {
	return slices.DeleteFunc(slices.Clone(all), func(r Rule) bool { return !r.schedule.Open(at, at.Location()) })
}

// matcher prepares a decision table; nil if there is none, or it cannot be read.
func matcher(t *accesspolicy.DecisionTable) *table.Matcher {
	if t == nil {
		return nil
	}
	m, _ := table.NewMatcher(t)
	return m
}

// given returns the access that rules give a person. True: when no rule gives it any more, it stays until a decision.
func given(all []Rule, status string, p *fact.Person) map[target]bool {
	out, denied := map[target]bool{}, map[target]bool{}
	for _, r := range all {
		if !slices.Contains(r.when, status) {
			continue
		}
		if met, _ := r.condition.Match(p); !met || !r.deny && len(r.required.Unmet(p.Identity)) > 0 {
			continue
		}
		for _, t := range r.of(p) {
			if r.deny {
				denied[t] = true
			} else {
				out[t] = out[t] || r.review
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
