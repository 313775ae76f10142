package evaluation

import (
	"slices"
	"time"

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

// outcome is what the rules make of somebody.
type outcome struct {
	// Changes are what enforced rules change; Matched are all rules that apply to the person.
	Changes []Change
	Matched []*Rule
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
		if !wants || r.closed && !r.has(living) {
			continue
		}
		wanting[r] = true
		out.Matched = append(out.Matched, r)
		for _, t := range r.targets {
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
		if c, ends := b.end(p, found, wanting); ends {
			out.Changes = append(out.Changes, c)
		}
	}
	slices.SortFunc(out.Changes, func(a, b Change) int { return a.Key.compare(b.Key) })
	return out
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

// endMembership says why somebody loses what a role's rule gave, and after which grace: who moves keeps it for a while,
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
