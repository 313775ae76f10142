package evaluation

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/requirement"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// Rule is a policy as the evaluation uses it, or the membership rule of a role.
type Rule struct {
	Policy    accesspolicy.AccessPolicy
	Source    string                // the source_type of its reasons: sourcePolicy or role.RuleSource
	excluded  map[string]*time.Time // of a role: whom it does not count for, until a day or for good
	closed    bool                  // of a role: its members keep it, and no one else gets it
	condition condition.Condition
	lead      time.Duration
	grace     time.Duration // zero: what does not follow any more ends at once
	targets   []target
	rows      [][]target              // of a decision table: what each of its rows gives
	table     *table.Matcher          // nil: the rule has no decision table
	required  requirement.Requirement // with the effect require
	// frozen rules give nothing more, and what they gave lives on: the breaker has stopped the policy, or it cannot be
	// read.
	frozen bool
}

// target is one thing that a rule gives or denies. Without an entitlement it is an account of the system.
type target struct{ connector, entitlement, role string }

// makeRule prepares a policy for evaluation with the tenant's usual durations. One whose circuit
// breaker has tripped, or whose condition cannot be read, is frozen: it neither gives nor ends
// anything. A policy that denies has no grace.
func makeRule(p accesspolicy.AccessPolicy, usual rules.Lifecycle) (*Rule, error) {
	// What is stored was checked. Were one not to be read all the same, the others go on.
	parsed, problems := p.Subject.Parse()
	r := &Rule{
		Policy:    p,
		Source:    SourcePolicy,
		condition: parsed,
		lead:      usual.PreHireLead,
		frozen:    p.TrippedAt != nil || len(problems) > 0,
	}
	if p.Table != nil {
		matcher, ok := table.NewMatcher(p.Table)
		r.table, r.frozen = matcher, r.frozen || !ok
	}
	if p.Lifecycle.OnNoMatch == accesspolicy.Grace && p.Effect == accesspolicy.Assign {
		r.grace = usual.MoverGrace
	}
	for text, into := range map[*string]*time.Duration{p.Lifecycle.LeadTime: &r.lead, p.Lifecycle.Grace: &r.grace} {
		if text == nil ||
			into == &r.grace && (p.Lifecycle.OnNoMatch != accesspolicy.Grace || p.Effect != accesspolicy.Assign) {
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

// reviews says whether access that does not follow any more waits for a decision.
func (r *Rule) reviews() bool {
	return r.Policy.Lifecycle.OnNoMatch == accesspolicy.Review && r.Policy.Effect == accesspolicy.Assign
}

// gives says whether the rule gives or denies people anything; others say who can request it, or what people must have.
func (r *Rule) gives() bool { return r.Policy.Effect != accesspolicy.Eligible && !r.requires() }

// requires says whether the rule says what people must have.
func (r *Rule) requires() bool { return r.Policy.Effect == accesspolicy.Require }

// unmet are the constraints that keep the rule from applying to a person, in words.
func (r *Rule) unmet(p *Person) []string {
	if r.requires() {
		return r.Policy.Constraints.Narrowing().Unmet(p.Identity)
	}
	return r.Policy.Constraints.Unmet(p.Identity)
}

// nextEdge is when the schedule of the rule can open or close after a moment, if the evaluation of people depends on
// it.
func (r *Rule) nextEdge(after time.Time, zone *time.Location) (next time.Time, found bool) {
	if !r.Policy.Enabled || r.Policy.Effect == accesspolicy.Eligible {
		return next, false
	}
	return r.Policy.Schedule.NextEdge(after, zone)
}

// key is what may live once: the same thing to the same person by the same policy.
type key struct{ Policy, Connector, Entitlement, Role, Effect, kind string }

// key is the key of the reason that the rule gives for a target.
func (r *Rule) key(t target) key {
	k := key{r.Policy.ID, t.connector, t.entitlement, t.role, ledger.Allow, ledger.Policy}
	if r.Policy.Effect == accesspolicy.Deny {
		k.Effect = ledger.Deny
	}
	switch {
	case r.Source == assignment.RuleSource:
		k.kind = ledger.Role
	case r.Policy.Birthright:
		k.kind = ledger.Birthright
	}
	return k
}

// compare orders keys, so that changes of a person are made in the same order each time.
func (k key) compare(o key) int {
	return cmp.Or(
		cmp.Compare(k.Policy, o.Policy),
		cmp.Compare(k.Connector, o.Connector),
		cmp.Compare(k.Entitlement, o.Entitlement),
		cmp.Compare(k.Role, o.Role),
		cmp.Compare(k.Effect, o.Effect),
		cmp.Compare(k.kind, o.kind),
	)
}

// wants reports whether the rule gives a person its targets, and from when; zero: from now.
func (r *Rule) wants(p *Person, b *Rulebook) (starts time.Time, wanted bool) {
	if !slices.Contains(r.Policy.Lifecycle.When, p.status) || r.excludes(p, b) {
		return starts, false
	}
	if p.status == "pre_hire" && r.Policy.Effect == accesspolicy.Assign {
		if p.start.IsZero() {
			return starts, false
		}
		first := time.Date(p.start.Year(), p.start.Month(), p.start.Day(), 0, 0, 0, 0, b.zone)
		if begins := span.Add(first, -r.lead, b.zone); begins.After(b.Now) {
			starts = begins.UTC()
		}
	}
	if !r.open(b) {
		return starts, false
	}
	met, warnings := r.condition.Match(p)
	if len(warnings) > 0 {
		p.warned = append(p.warned, r)
	}
	return starts, met && len(r.unmet(p)) == 0 && r.hits(p)
}

// open says whether the schedule of the rule lets it apply now.
func (r *Rule) open(b *Rulebook) bool { return r.Policy.Schedule.Open(b.Now, b.zone) }

// Standing reports whether a person meets the policy in their state, and what keeps it from applying to
// them all the same, in words: its constraints, and its schedule. A policy that cannot be read applies to no one.
func (r *Rule) Standing(p *Person, b *Rulebook) (about bool, unmet []string) {
	if r.frozen || !slices.Contains(r.Policy.Lifecycle.When, p.status) {
		return false, nil
	}
	if about, _ = r.condition.Match(p); !about {
		return false, nil
	}
	unmet = r.unmet(p)
	if !r.open(b) {
		unmet = append(unmet, "requests are possible "+r.Policy.Schedule.Sentence())
	}
	return true, unmet
}

// Sentence is the condition of the rule in words.
func (r *Rule) Sentence() string { return r.condition.Sentence() }
