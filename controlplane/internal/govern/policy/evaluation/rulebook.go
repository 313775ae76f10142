package evaluation

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/requirement"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/content"
)

// Rulebook is all rules of a tenant, with what they need, at one moment.
type Rulebook struct {
	// Rules are all rules in the order of evaluation, ByID by the policy's ID.
	Rules []*Rule
	ByID  map[string]*Rule
	// Needs is what the conditions of all rules read.
	Needs fact.Needs
	// zone is the tenant's, in which days begin; Now is the moment of the evaluation.
	zone *time.Location
	Now  time.Time

	assignments bool // those of people are looked at too
	// of a plan: the roles that it is about, and what they are nested in; nil: everything
	Around map[string]bool
	// requirements are what policies with the effect require say.
	requirements requirement.Book

	given map[string][]target // what the roles give that people have by an assignment, as far as was asked
}

// today is the tenant's day.
func (b *Rulebook) today() time.Time {
	return time.Date(b.Now.In(b.zone).Year(), b.Now.In(b.zone).Month(), b.Now.In(b.zone).Day(), 0, 0, 0, 0, time.UTC)
}

// Midnight is when the tenant's day ends.
func (b *Rulebook) Midnight() time.Time {
	today := b.Now.In(b.zone)
	return time.Date(today.Year(), today.Month(), today.Day()+1, 0, 0, 0, 0, b.zone).UTC()
}

// Fresh is when what the rules say may change with time alone: when the tenant's day ends, or a schedule opens or
// closes.
func (b *Rulebook) Fresh() time.Time {
	fresh := b.Midnight()
	for _, r := range b.Rules {
		if next, found := r.nextEdge(b.Now, b.zone); found && next.Before(fresh) {
			fresh = next
		}
	}
	return fresh
}

// Turns reports whether the schedule of a policy has opened or closed since a moment, including it.
func (b *Rulebook) Turns(since time.Time) bool {
	return slices.ContainsFunc(b.Rules, func(r *Rule) bool {
		edge, found := r.nextEdge(since.Add(-time.Nanosecond), b.zone)
		return found && !edge.After(b.Now)
	})
}

// Load reads all rules of a tenant: its policies, its roles' membership rules, what the roles hold, and its lifecycle
// settings. Role assignments count too.
func Load(ctx context.Context, tx *pg.Tx, now time.Time) (*Rulebook, error) {
	policies, err := accesspolicy.All(ctx, tx)
	if err != nil {
		return nil, err
	}
	rules, err := role.Rules(ctx, tx)
	if err != nil {
		return nil, err
	}
	b, err := Make(ctx, tx, policies, rules, now)
	if err == nil {
		b.assignments = true
	}
	return b, err
}

// Make is a rulebook of these policies and membership rules alone, without role assignments.
func Make(
	ctx context.Context,
	tx *pg.Tx,
	policies []accesspolicy.AccessPolicy,
	roles []role.Rule,
	now time.Time,
) (*Rulebook, error) {
	usual, err := rules.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	policies = slices.Clone(policies)
	if err := accesspolicy.AddTagged(ctx, tx, policies); err != nil {
		return nil, err
	}
	b := &Rulebook{ByID: map[string]*Rule{}, zone: usual.Zone(), Now: now, given: map[string][]target{}}
	for _, p := range policies {
		r, err := makeRule(p, usual)
		if err != nil {
			return nil, err
		}
		b.Rules, b.ByID[p.ID] = append(b.Rules, r), r
		if p.Enabled {
			b.Needs = b.Needs.And(r.condition.Needs())
		}
	}
	if b.requirements, err = requirement.Compile(ctx, tx, policies); err != nil {
		return nil, err
	}
	for id, r := range b.requirements.ByPolicy {
		b.ByID[id].required = r
	}
	for _, of := range roles {
		r := roleRule(of, usual)
		b.Rules, b.ByID[of.RoleID] = append(b.Rules, r), r
		b.Needs = b.Needs.And(r.condition.Needs())
	}
	return b, b.fillTargets(ctx, tx)
}

// fillTargets finds what the rules give: nothing that is gone from its system, or retired.
func (b *Rulebook) fillTargets(ctx context.Context, tx *pg.Tx) error {
	var roles, entitlements []string
	for _, r := range b.Rules {
		if !r.gives() {
			continue
		}
		roles, entitlements = append(
			roles,
			r.Policy.Resources.RoleIDs...), append(
			entitlements,
			r.Policy.Resources.EntitlementIDs...)
	}
	held, err := content.Entitlements(ctx, tx, accesspolicy.Distinct(roles))
	if err != nil {
		return err
	}
	systems, err := SystemsOf(ctx, tx, accesspolicy.Distinct(entitlements))
	if err != nil {
		return err
	}
	for _, r := range b.Rules {
		if !r.gives() {
			continue
		}
		for _, id := range r.Policy.Resources.ConnectorIDs {
			r.targets = append(r.targets, target{connector: id})
		}
		for _, id := range r.Policy.Resources.EntitlementIDs {
			if system, usable := systems[id]; usable {
				r.targets = append(r.targets, target{system, id, ""})
			}
		}
		for _, id := range r.Policy.Resources.RoleIDs {
			for _, e := range held[id] {
				r.targets = append(r.targets, target{e.ConnectorID, e.ID, id})
			}
		}
		r.fillRows(held, systems)
	}
	return nil
}

// SystemsOf are the connectors of entitlements. Those that are retired or removed are left out:
// nothing is given there any more.
func SystemsOf(ctx context.Context, tx *pg.Tx, entitlements []string) (map[string]string, error) {
	systems := map[string]string{}
	if len(entitlements) == 0 {
		return systems, nil
	}
	const sql = `
		select e.id::text, e.connector_id::text
		  from entitlement e
		 where e.id = any(@ids::text[]::uuid[])
		   and e.lifecycle <> 'retired'
		   and e.removed_at is null
		   and e.connector_id is not null`
	var id, system string
	if err := pg.Each(
		ctx,
		tx,
		"systems of entitlements",
		[]any{&id, &system},
		func() error { systems[id] = system; return nil },
		sql,
		pgx.NamedArgs{"ids": entitlements},
	); err != nil {
		return nil, err
	}
	return systems, nil
}
