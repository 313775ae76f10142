package eligibility

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Book is the policies in force that say who can request something.
type Book struct {
	rules *evaluation.Rulebook // nil: there are none
	// by are the policies of a role, an entitlement or a system, in the order of their priority.
	by map[string][]*evaluation.Rule
	// systems are those of its ids that are systems.
	systems map[string]bool
}

// Load reads the policies in force.
func Load(ctx context.Context, tx *pg.Tx, now time.Time) (*Book, error) {
	b := &Book{by: map[string][]*evaluation.Rule{}, systems: map[string]bool{}}
	policies, err := accesspolicy.AllEligible(ctx, tx)
	if err != nil || len(policies) == 0 {
		return b, err
	}
	if b.rules, err = evaluation.Make(ctx, tx, policies, nil, now); err != nil {
		return nil, err
	}
	for _, r := range b.rules.Rules {
		for _, id := range Resources(r.Policy.Resources) {
			b.by[id] = append(b.by[id], r)
		}
		for _, id := range r.Policy.Resources.ConnectorIDs {
			b.systems[id] = true
		}
	}
	return b, nil
}

// Resources are the ids of the roles, entitlements and systems that a policy names.
func Resources(of accesspolicy.Resources) []string {
	ids := append([]string{}, of.RoleIDs...)
	return append(append(ids, of.EntitlementIDs...), of.ConnectorIDs...)
}

// Standing is what the policies say of one person. Nil: there are no policies.
type Standing struct {
	book  *Book
	about map[*evaluation.Rule][]string // the policies about them, with what keeps these from applying
}

// Of compares people with the policies. Without policies it reads nothing.
func (b *Book) Of(ctx context.Context, tx *pg.Tx, ids []string) (map[string]*Standing, error) {
	of := map[string]*Standing{}
	if b.rules == nil || len(ids) == 0 {
		return of, nil
	}
	second, err := b.secondFactor(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		of[id] = &Standing{book: b, about: map[*evaluation.Rule][]string{}}
	}
	return of, b.rules.EachPerson(ctx, tx, ids, func(p *evaluation.Person) error {
		for _, r := range b.rules.Rules {
			about, unmet := r.Standing(p, b.rules)
			if !about {
				continue
			}
			if r.Policy.Constraints.RequiresMFA && !second {
				unmet = append(unmet, "the requester needs a second factor for sign-in")
			}
			of[p.ID].about[r] = unmet
		}
		return nil
	})
}

// secondFactor says whether the viewer has a second factor, if a policy requires one.
func (b *Book) secondFactor(ctx context.Context, tx *pg.Tx) (has bool, err error) {
	required := false
	for _, r := range b.rules.Rules {
		required = required || r.Policy.Constraints.RequiresMFA
	}
	if !required || tx.Viewer.Kind != viewer.User {
		return false, nil
	}
	const sql = `
		select exists (select from second_factor f where f.user_id = $1 and f.confirmed_at is not null)
		    or exists (select from passkey k where k.user_id = $1)`
	if err := tx.QueryRow(ctx, sql, tx.Viewer.ID).Scan(&has); err != nil {
		return false, fmt.Errorf("find second factor: %w", err)
	}
	return has, nil
}

// Ruling is what the policies say of a person and a resource.
type Ruling struct {
	// Limited says that a policy names the resource. If none does, everybody may request it.
	Limited bool
	// Offered says that one of these policies is about the person, or that there are none.
	Offered bool
	// Policy is the policy that lets the person request the resource, and Terms are its constraints. If none does, it
	// is the first that is about them, and WhyNot what keeps it from applying.
	Policy string
	Terms  accesspolicy.Constraints
	Why    string
	WhyNot []string
}

// Of is the ruling on a role, or on an entitlement of a system.
func (s *Standing) Of(id, system string) Ruling {
	if s == nil {
		return Ruling{Offered: true}
	}
	rules := s.book.rulesOf(id, system)
	if len(rules) == 0 {
		return Ruling{Offered: true}
	}
	ruling := Ruling{Limited: true}
	var others []string
	for _, r := range rules {
		unmet, about := s.about[r]
		switch {
		case !about:
			others = append(others, r.Policy.Name+" ("+r.Sentence()+")")
		case len(unmet) == 0:
			return Ruling{Limited: true, Offered: true, Policy: r.Policy.Name, Terms: r.Policy.Constraints,
				Why: "the policy " + r.Policy.Name + " allows it: " + r.Sentence()}
		case !ruling.Offered:
			ruling.Offered, ruling.Policy, ruling.WhyNot = true, r.Policy.Name, unmet
			ruling.Why = "the policy " + r.Policy.Name + " is about them: " + r.Sentence()
		}
	}
	if !ruling.Offered {
		ruling.WhyNot = []string{"no eligibility policy of it applies: " + strings.Join(others, "; ")}
	}
	return ruling
}

// rulesOf are the policies of a resource and its system, each once, in the order of their priority.
func (b *Book) rulesOf(id, system string) []*evaluation.Rule {
	own, whole := b.by[id], b.by[system]
	if system == "" || len(whole) == 0 {
		return own
	}
	named := map[*evaluation.Rule]bool{}
	for _, r := range append(append([]*evaluation.Rule{}, own...), whole...) {
		named[r] = true
	}
	var rules []*evaluation.Rule
	for _, r := range b.rules.Rules {
		if named[r] {
			rules = append(rules, r)
		}
	}
	return rules
}

// Limits are what policies close to a person, as ids. An entitlement is closed by itself unless its system is open, and
// by its system unless it is open itself.
type Limits struct {
	// Closed are the roles and entitlements, ClosedSystems the systems, that policies name and none about the person.
	Closed, ClosedSystems []string
	// OpenSystems are the systems that a policy about the person names. Open are the entitlements; they are left out
	// if no system is closed.
	Open, OpenSystems []string
}

// None reports whether nothing is closed.
func (l Limits) None() bool { return len(l.Closed)+len(l.ClosedSystems) == 0 }

// Limits are what the policies close to the person.
func (s *Standing) Limits() Limits {
	l := Limits{Closed: []string{}, ClosedSystems: []string{}, Open: []string{}, OpenSystems: []string{}}
	if s == nil {
		return l
	}
	for id, rules := range s.book.by {
		open := slices.ContainsFunc(rules, func(r *evaluation.Rule) bool { _, about := s.about[r]; return about })
		switch system := s.book.systems[id]; {
		case system && open:
			l.OpenSystems = append(l.OpenSystems, id)
		case system:
			l.ClosedSystems = append(l.ClosedSystems, id)
		case open:
			l.Open = append(l.Open, id)
		default:
			l.Closed = append(l.Closed, id)
		}
	}
	if len(l.ClosedSystems) == 0 {
		l.Open = []string{}
	}
	return l
}
