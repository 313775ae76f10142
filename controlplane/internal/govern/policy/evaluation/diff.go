package evaluation

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/constraint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// Change is one reason that is to be added or to end.
type Change struct {
	rule     *Rule                  // nil: of a policy that is gone, or of an assignment
	assigned *assignment.Assignment // of what is given by an assignment
	Identity string
	Key      key
	Add      bool
	Renew    bool      // it lives already, and gets another beginning, or ends no more
	Starts   time.Time // of what is given; zero: now
	Reason   *Reason   // of what ends
	At       time.Time // when it ends; zero: now
	why      string
}

// outcome is what the rules make of a person.
type outcome struct {
	// Changes are what enforced rules change; Matched are all rules that apply to the person.
	Changes []Change
	Matched []*Rule
	// Lacks are the rules with the effect require that apply to the person, with what is missing; nil: nothing.
	Lacks map[*Rule][]constraint.MissingItem
	// Reviews are the rules whose access waits for a decision, with the reasons that none covers; nil: none.
	Reviews map[*Rule][]*Reason
	would   map[*Rule][2]int // what rules that are not enforced would give and end
}

// Diff compares what the rules say of a person with the reasons in force. It is pure: the same rulebook, person and
// reasons give the same.
func (b *Rulebook) Diff(p *Person, living []Reason) outcome {
	out := outcome{would: map[*Rule][2]int{}}
	at := make(map[key]*Reason, len(living))
	for i := range living {
		if living[i].Policy {
			at[living[i].Key] = &living[i]
		}
	}
	wanting := map[*Rule]bool{}
	for _, r := range b.Rules {
		if !r.Policy.Enabled {
			continue
		}
		starts, wants := r.wants(p, b)
		if r.requires() {
			out.require(r, p, wants)
			continue
		}
		if !wants || r.closed && !r.has(living) {
			continue
		}
		wanting[r] = true
		out.Matched = append(out.Matched, r)
		for _, t := range r.targetsOf(p) {
			k := r.key(t)
			found := at[k]
			switch {
			case !r.Policy.Applies():
				if found == nil {
					out.wouldGrant(r)
				}
			case r.frozen:
			case found == nil:
				out.Changes = append(out.Changes, Change{rule: r, Identity: p.ID, Key: k, Add: true, Starts: starts})
			default:
				delete(at, k)
				if found.outdated(starts) {
					out.Changes = append(
						out.Changes,
						Change{rule: r, Identity: p.ID, Key: k, Add: true, Renew: true, Starts: starts, Reason: found},
					)
				}
			}
		}
	}
	b.lookAssigned(p, at, &out)
	for _, found := range at {
		if b.review(found, &out) {
			continue
		}
		if c, ends := b.end(p, found, wanting); ends {
			out.Changes = append(out.Changes, c)
		}
	}
	slices.SortFunc(out.Changes, func(a, b Change) int { return a.Key.compare(b.Key) })
	return out
}

// require notes what a person lacks to whom a rule with the effect require may apply.
func (o *outcome) require(r *Rule, p *Person, wants bool) {
	if !wants || r.frozen || !r.required.Concerns(p.holdings) {
		return
	}
	if o.Lacks == nil {
		o.Lacks = map[*Rule][]constraint.MissingItem{}
	}
	o.Matched = append(o.Matched, r)
	o.Lacks[r] = r.required.Missing(p.holdings, p.Identity)
}

// wouldGrant counts a reason that a rule in shadow mode would give.
func (o *outcome) wouldGrant(r *Rule) {
	n := o.would[r]
	n[0]++
	o.would[r] = n
}

// outdated says whether what lives must be given anew: it was to end because of the rule, or to begin at another time.
func (x *Reason) outdated(starts time.Time) bool {
	if x.ends != nil && x.why != nil && slices.Contains(endedByRule, *x.why) {
		return true
	}
	return x.State == ledger.Scheduled && !x.starts.Equal(starts)
}

// review notes what no rule wants any more and is kept until a decision. A stopped policy asks nothing new, and leaves
// what was asked.
func (b *Rulebook) review(found *Reason, out *outcome) bool {
	r := b.ByID[found.Key.Policy]
	if r == nil || !r.reviews() || found.State != ledger.Active || r.Policy.Applies() && !r.frozen && !r.open(b) {
		return false
	}
	if out.Reviews == nil {
		out.Reviews = map[*Rule][]*Reason{}
	}
	undecided := out.Reviews[r]
	if found.ends == nil && !r.frozen {
		undecided = append(undecided, found)
	}
	out.Reviews[r] = undecided
	return true
}

// end says how what no rule wants any more ends.
func (b *Rulebook) end(p *Person, found *Reason, wanting map[*Rule]bool) (c Change, ends bool) {
	r := b.ByID[found.Key.Policy]
	c = Change{rule: r, Identity: p.ID, Key: found.Key, Reason: found}
	grace := time.Duration(0)
	switch {
	case r == nil:
		c.why = b.orphaned(p, found)
		return c, true
	case r.frozen:
		return c, false
	case r.Source == assignment.RuleSource:
		c.why, grace = b.endMembership(p, r, wanting[r])
	case !r.Policy.Applies():
		c.why, grace = whyOff, r.grace
	case !r.open(b):
		c.why = whyClosed // its end was planned
	case wanting[r] && r.table != nil:
		c.why, grace = whyNoRow, r.grace
	case wanting[r]:
		c.why, grace = whyNothing, r.grace
	default:
		c.why, grace = whyNoMatch, r.grace
	}
	if grace > 0 && found.State == ledger.Active {
		c.At = span.Add(b.Now, grace, b.zone).UTC()
		// It ends already, as soon or sooner: what began to run out runs on.
		return c, found.ends == nil || found.ends.After(c.At)
	}
	return c, true
}

// endMembership gives the reason why a person loses what a role's rule gave, and the grace: movers keep it for a while,
// but what a role holds no more, and whom it is not to be given to, is meant at once.
func (b *Rulebook) endMembership(p *Person, r *Rule, wanted bool) (why string, grace time.Duration) {
	switch {
	case wanted:
		return whyNotInRole, 0
	case r.excludes(p, b):
		return whyExcluded, 0
	}
	return whyNotMember, r.grace
}

// orphaned says why something ends whose source is gone.
func (b *Rulebook) orphaned(p *Person, x *Reason) string {
	switch x.Source {
	case assignment.RuleSource:
		return whyNoRule
	case assignment.ReasonSource:
		for _, a := range p.assigned {
			switch {
			case a.ID == x.Key.Policy && a.EndsAt != nil && !a.EndsAt.After(b.Now):
				return whyOver
			case a.ID == x.Key.Policy:
				return whyNotInRole
			}
		}
		return whyUnassigned
	}
	return whyDeleted
}
