package definition

import (
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Contradictions are the contradictions between the policy and others, of which one may be the policy itself.
func (f *Fields) Contradictions(id string, others []SeparationPolicy) []fault.Field {
	if !f.IsEvaluated() {
		return nil
	}
	var wrong Problems
	for _, o := range others {
		if o.ID == id || !o.IsEvaluated() {
			continue
		}
		requires, forbids := *f, o.Fields
		if f.Kind != "companion" {
			requires, forbids = o.Fields, *f
		}
		duty, found := requires.contradicts(forbids)
		if !found {
			continue
		}
		s := slices.IndexFunc(f.Sides, func(s Side) bool { return slices.Contains(s.DutyIDs, duty) })
		wrong.Add(fmt.Sprintf("#/sides/%d/duty_ids/%d", s, slices.Index(f.Sides[s].DutyIDs, duty)), "contradiction",
			"The policy %q contradicts this one: together they forbid everybody to perform %q. Change or disable one "+
				"of the two.", o.Name, f.Sides[s].Label)
	}
	return wrong
}

// IsEvaluated reports whether the policy is evaluated, now or at another time.
func (f Fields) IsEvaluated() bool { return f.Enabled && f.Mode != Draft }

// contradicts returns a duty of the first side of a companion policy that the other policy forbids together with each
// duty of the second side.
func (f Fields) contradicts(other Fields) (duty string, found bool) {
	if f.Kind != "companion" || len(f.Sides) != 2 {
		return "", false
	}
	for _, first := range f.Sides[0].DutyIDs {
		if !slices.ContainsFunc(f.Sides[1].DutyIDs, func(second string) bool { return !other.forbids(first, second) }) {
			return first, true
		}
	}
	return "", false
}

// forbids reports whether the policy forbids every person to perform both duties now.
func (f Fields) forbids(a, b string) bool {
	side := func(id string) int {
		return slices.IndexFunc(f.Sides, func(s Side) bool { return slices.Contains(s.DutyIDs, id) })
	}
	x, y := side(a), side(b)
	if x < 0 || y < 0 || x == y {
		return false
	}
	switch f.Kind {
	case "pair":
		return true
	case "n_of_m":
		return f.N != nil && *f.N == 2
	case "matrix":
		return f.Matrix != nil && slices.ContainsFunc(f.Matrix.Conflicts, func(c []int) bool {
			return slices.Equal(c, []int{min(x, y), max(x, y)})
		})
	}
	return false
}
