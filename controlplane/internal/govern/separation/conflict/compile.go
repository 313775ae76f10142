package conflict

import (
	"fmt"
	"slices"
)

// Rules are policies and duties, prepared for the evaluation of many people.
type Rules struct {
	policies []*Policy
	plans    []plan

	members   members
	groupDuty []int32 // duty of each group
	groups    []int32 // number of groups of each duty
	duties    map[string]int32
	dutySides [][]sideOf // where each duty is used
	sides     int32      // of all policies
	blind     []Blindness
}

// plan is one policy with its duties as numbers.
type plan struct {
	first int32 // number of its first side, of all sides of all policies
	sides [][]int32
}

type sideOf struct {
	policy int32
	side   int32
}

// Blindness says that a side of a policy cannot be performed by anybody at the moment, since no duty in it has an
// entitlement left in each of its groups. The policy then cannot find what it was made for.
type Blindness struct {
	PolicyID string
	Side     int
}

// Compile prepares policies. It fails if a policy names a duty that is not given, or has sides that its kind does not
// allow: those who store policies refuse both before.
func Compile(policies []Policy, duties []Duty) (*Rules, error) {
	ids, numbers := []string{}, map[string]int32{}
	numbered := make([]NumberedDuty, len(duties))
	for i, d := range duties {
		numbered[i] = NumberedDuty{ID: d.ID, Groups: make([][]int32, len(d.Groups))}
		for g, group := range d.Groups {
			for _, id := range group {
				n, known := numbers[id]
				if !known {
					n = int32(len(ids))
					numbers[id], ids = n, append(ids, id)
				}
				numbered[i].Groups[g] = append(numbered[i].Groups[g], n)
			}
		}
	}
	return CompileNumbered(policies, ids, numbered)
}

// CompileNumbered is Compile for duties whose members are positions in a list of different entitlements. Millions of
// members take four bytes each.
func CompileNumbered(policies []Policy, entitlements []string, duties []NumberedDuty) (*Rules, error) {
	r := &Rules{
		members:   membersOf(entitlements, duties),
		duties:    make(map[string]int32, len(duties)),
		dutySides: make([][]sideOf, len(duties)),
		groups:    make([]int32, len(duties)),
	}
	for i, d := range duties {
		r.duty(int32(i), d)
	}
	for i := range policies {
		if err := r.policy(&policies[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Rules) duty(number int32, d NumberedDuty) {
	r.duties[d.ID] = number
	r.groups[number] = int32(len(d.Groups))
	for _, g := range d.Groups {
		r.groupDuty = append(r.groupDuty, number)
		if len(g) == 0 {
			r.groups[number] = -1 // no one has an entitlement of an empty group
		}
	}
	if len(d.Groups) == 0 {
		r.groups[number] = -1
	}
}

func (r *Rules) policy(p *Policy) error {
	if err := p.check(); err != nil {
		return err
	}
	number := int32(len(r.policies))
	pl := plan{first: r.sides, sides: make([][]int32, len(p.Sides))}
	r.sides += int32(len(p.Sides))
	for s, side := range p.Sides {
		sighted := false
		for _, id := range side.DutyIDs {
			d, ok := r.duties[id]
			if !ok {
				return fmt.Errorf("policy %s names the duty %s, which does not exist", p.ID, id)
			}
			if r.groups[d] < 0 || slices.Contains(pl.sides[s], d) {
				continue
			}
			sighted = true
			pl.sides[s] = append(pl.sides[s], d)
			r.dutySides[d] = append(r.dutySides[d], sideOf{number, int32(s)})
		}
		if !sighted {
			r.blind = append(r.blind, Blindness{p.ID, s})
		}
	}
	r.policies, r.plans = append(r.policies, p), append(r.plans, pl)
	return nil
}

// check compares the sides of a policy with its kind.
func (p *Policy) check() error {
	switch p.Kind {
	case Pair, Companion, History:
		if len(p.Sides) != 2 {
			return fmt.Errorf("policy %s of the kind %s has %d sides, and must have two", p.ID, p.Kind, len(p.Sides))
		}
	case NOfM:
		if p.N < 2 || p.N > len(p.Sides) {
			return fmt.Errorf("policy %s forbids %d of its %d sides", p.ID, p.N, len(p.Sides))
		}
	case Matrix:
		for _, c := range p.Conflicts {
			if c[0] < 0 || c[1] < 0 || c[0] >= len(p.Sides) || c[1] >= len(p.Sides) || c[0] == c[1] {
				return fmt.Errorf("policy %s has a conflict between its sides %d and %d", p.ID, c[0], c[1])
			}
		}
	default:
		return fmt.Errorf("policy %s has the unknown kind %q", p.ID, p.Kind)
	}
	if p.Kind == Companion && len(p.Context.Same) > 0 {
		return fmt.Errorf("policy %s is a companion policy, which compares no context", p.ID)
	}
	return nil
}

// Blind returns the sides that no person can perform at the moment, in the order of the policies.
func (r *Rules) Blind() []Blindness { return slices.Clone(r.blind) }

// Policies returns the policies in their order. They must not be changed.
func (r *Rules) Policies() []*Policy { return r.policies }

// groupsOf returns the groups of a duty. Compile numbers those of one duty in a row.
func (r *Rules) groupsOf(d int32) []int32 {
	first, _ := slices.BinarySearch(r.groupDuty, d)
	list := make([]int32, 0, r.groups[d])
	for g := first; g < len(r.groupDuty) && r.groupDuty[g] == d; g++ {
		list = append(list, int32(g))
	}
	return list
}
