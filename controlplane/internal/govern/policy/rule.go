package policy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// rule is a policy as the evaluation uses it, or the membership rule of a role, which is one more.
type rule struct {
	policy    AccessPolicy
	of        string                // the source_type of its reasons: sourcePolicy or role.RuleSource
	excluded  map[string]*time.Time // of a role: whom it does not count for, until a day or for good
	closed    bool                  // of a role: who has it keeps it, and nobody else gets it
	condition condition.Condition
	lead      time.Duration
	grace     time.Duration // zero: what does not follow any more ends at once
	targets   []target
	frozen    bool // what it gave lives on, and it gives nothing more: its breaker has stopped it, or it cannot be read
}

// target is one thing that a rule gives or denies. Without an entitlement it is an account of the system.
type target struct{ connector, entitlement, role string }

// book is all rules of a tenant with what they need, for one look.
type book struct {
	rules []*rule
	byID  map[string]*rule
	needs condition.Needs
	zone  *time.Location
	now   time.Time

	assignments bool // those of people are looked at too
	// of a plan: the roles that it is about, and what they are nested in; nil: everything
	around map[string]bool
	given  map[string][]target // what the roles give that people have by an assignment, as far as was asked
}

// today is the tenant's day.
func (b *book) today() time.Time {
	return time.Date(b.now.In(b.zone).Year(), b.now.In(b.zone).Month(), b.now.In(b.zone).Day(), 0, 0, 0, 0, time.UTC)
}

// midnight is when the tenant's day ends.
func (b *book) midnight() time.Time {
	today := b.now.In(b.zone)
	return time.Date(today.Year(), today.Month(), today.Day()+1, 0, 0, 0, 0, b.zone).UTC()
}

// loadBook reads all that gives access by rule in a tenant: its policies, its roles' membership rules, what the roles
// hold, and its lifecycle. The assignments of roles belong to it.
func loadBook(ctx context.Context, tx *pg.Tx, now time.Time) (*book, error) {
	policies, err := all(ctx, tx)
	if err != nil {
		return nil, err
	}
	rules, err := role.Rules(ctx, tx)
	if err != nil {
		return nil, err
	}
	b, err := makeBook(ctx, tx, policies, rules, now)
	if err == nil {
		b.assignments = true
	}
	return b, err
}

func makeBook(
	ctx context.Context,
	tx *pg.Tx,
	policies []AccessPolicy,
	roles []role.Rule,
	now time.Time,
) (*book, error) {
	usual, err := rules.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	b := &book{byID: map[string]*rule{}, zone: usual.Zone(), now: now, given: map[string][]target{}}
	for _, p := range policies {
		r, err := makeRule(p, usual)
		if err != nil {
			return nil, err
		}
		b.rules, b.byID[p.ID] = append(b.rules, r), r
		if p.Enabled {
			b.needs = b.needs.And(r.condition.Needs())
		}
	}
	for _, of := range roles {
		r := roleRule(of, usual)
		b.rules, b.byID[of.RoleID] = append(b.rules, r), r
		b.needs = b.needs.And(r.condition.Needs())
	}
	return b, b.fillTargets(ctx, tx)
}

func makeRule(p AccessPolicy, usual rules.Lifecycle) (*rule, error) {
	// What is stored was checked. Were one not to be read all the same, the others go on.
	parsed, problems := p.Subject.parse()
	r := &rule{
		policy:    p,
		of:        sourcePolicy,
		condition: parsed,
		lead:      usual.PreHireLead,
		frozen:    p.TrippedAt != nil || len(problems) > 0,
	}
	if p.Lifecycle.OnNoMatch == Grace && p.Effect == Assign {
		r.grace = usual.MoverGrace
	}
	for text, into := range map[*string]*time.Duration{p.Lifecycle.LeadTime: &r.lead, p.Lifecycle.Grace: &r.grace} {
		if text == nil || into == &r.grace && (p.Lifecycle.OnNoMatch != Grace || p.Effect != Assign) {
			continue
		}
		d, err := span.Parse(*text)
		if err != nil {
			return nil, fmt.Errorf("a duration of policy %s: %w", p.ID, err)
		}
		*into = d
	}
	return r, nil
}

// fillTargets finds what the rules give: nothing that is gone from its system, or retired.
func (b *book) fillTargets(ctx context.Context, tx *pg.Tx) error {
	var roles, entitlements []string
	for _, r := range b.rules {
		roles, entitlements = append(
			roles,
			r.policy.Resources.RoleIDs...), append(
			entitlements,
			r.policy.Resources.EntitlementIDs...)
	}
	held, err := role.Entitlements(ctx, tx, once(roles))
	if err != nil {
		return err
	}
	systems, err := systemsOf(ctx, tx, once(entitlements))
	if err != nil {
		return err
	}
	for _, r := range b.rules {
		for _, id := range r.policy.Resources.ConnectorIDs {
			r.targets = append(r.targets, target{connector: id})
		}
		for _, id := range r.policy.Resources.EntitlementIDs {
			if system, usable := systems[id]; usable {
				r.targets = append(r.targets, target{system, id, ""})
			}
		}
		for _, id := range r.policy.Resources.RoleIDs {
			for _, e := range held[id] {
				r.targets = append(r.targets, target{e.ConnectorID, e.ID, id})
			}
		}
	}
	return nil
}

func systemsOf(ctx context.Context, tx *pg.Tx, entitlements []string) (map[string]string, error) {
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
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": entitlements})
	if err != nil {
		return nil, fmt.Errorf("systems of entitlements: %w", err)
	}
	var id, system string
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&id, &system},
		func() error { systems[id] = system; return nil },
	); err != nil {
		return nil, fmt.Errorf("systems of entitlements: %w", err)
	}
	return systems, nil
}

// key is what may live once: the same thing to the same person by the same policy.
type key struct{ policy, connector, entitlement, role, effect, kind string }

func (r *rule) key(t target) key {
	k := key{r.policy.ID, t.connector, t.entitlement, t.role, ledger.Allow, ledger.Policy}
	if r.policy.Effect == Deny {
		k.effect = ledger.Deny
	}
	switch {
	case r.of == role.RuleSource:
		k.kind = ledger.Role
	case r.policy.Birthright:
		k.kind = ledger.Birthright
	}
	return k
}

// compare orders keys, so that what is done to somebody is done in the same order each time.
func (k key) compare(o key) int {
	return cmp.Or(
		cmp.Compare(k.policy, o.policy),
		cmp.Compare(k.connector, o.connector),
		cmp.Compare(k.entitlement, o.entitlement),
		cmp.Compare(k.role, o.role),
		cmp.Compare(k.effect, o.effect),
		cmp.Compare(k.kind, o.kind),
	)
}

// wants says whether the rule gives somebody its targets, and from when; zero: from now.
func (r *rule) wants(p *person, b *book) (starts time.Time, wanted bool) {
	if !slices.Contains(r.policy.Lifecycle.When, p.status) || r.excludes(p, b) {
		return starts, false
	}
	if p.status == "pre_hire" && r.policy.Effect == Assign {
		if p.start.IsZero() {
			return starts, false
		}
		first := time.Date(p.start.Year(), p.start.Month(), p.start.Day(), 0, 0, 0, 0, b.zone)
		if begins := span.Add(first, -r.lead, b.zone); begins.After(b.now) {
			starts = begins.UTC()
		}
	}
	met, warnings := r.condition.Match(p)
	if len(warnings) > 0 {
		p.warned = append(p.warned, r)
	}
	return starts, met
}
