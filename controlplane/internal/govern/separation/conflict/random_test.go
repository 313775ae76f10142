package conflict_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
)

// random is one person in a tenant with duties and policies. Its parts keep what the evaluation is not given: the
// nesting as it is, so that the oracle computes by itself what a grant gives.
type random struct {
	sources  []source
	nested   [][2]int // entitlement in entitlement; there may be cycles
	past     [][2]int // entitlement, days ago
	traits   map[int][2]string
	readOnly map[int]bool
	duties   [][][]int // groups of entitlements
	policies []conflict.Policy
	exempt   map[string]bool // policies that do not apply to the person
}

type source struct {
	entitlements []int // a role that was asked for has several
	pending      bool
	roles        []int
}

var traitNames = []string{"a", "b"}

func randomWorld(seed uint64) *random {
	rnd := rand.New(rand.NewPCG(seed, 16))
	w := &random{traits: map[int][2]string{}, readOnly: map[int]bool{}}
	entitlements := 4 + rnd.IntN(16)
	one := func() int { return rnd.IntN(entitlements) }
	for range rnd.IntN(10) {
		w.nested = append(w.nested, [2]int{one(), one()})
	}
	for range rnd.IntN(5) {
		w.past = append(w.past, [2]int{one(), rnd.IntN(100)})
	}
	for e := range entitlements {
		var t [2]string
		for i, values := range []string{"xyz", "pq"} {
			if rnd.IntN(3) > 0 {
				t[i] = string(values[rnd.IntN(len(values))])
			}
		}
		w.traits[e], w.readOnly[e] = t, rnd.IntN(6) == 0
	}
	for range rnd.IntN(1 + rnd.IntN(40)) {
		s := source{entitlements: []int{one()}, pending: rnd.IntN(5) == 0}
		for rnd.IntN(8) == 0 {
			s.entitlements = append(s.entitlements, one())
		}
		for rnd.IntN(3) == 0 {
			s.roles = append(s.roles, rnd.IntN(3))
		}
		w.sources = append(w.sources, s)
	}
	for range 2 + rnd.IntN(5) {
		groups := [][]int{}
		for range 1 + rnd.IntN(10)/7 {
			group := []int{}
			for range rnd.IntN(5) {
				group = append(group, one())
			}
			groups = append(groups, group)
		}
		w.duties = append(w.duties, groups)
	}
	for i := range 1 + rnd.IntN(4) {
		w.policies = append(w.policies, w.policy(rnd, i))
	}
	w.exempt = map[string]bool{}
	for _, p := range w.policies {
		w.exempt[p.ID] = rnd.IntN(8) == 0
	}
	return w
}

func (w *random) policy(rnd *rand.Rand, number int) conflict.Policy {
	kinds := []conflict.Kind{conflict.Pair, conflict.NOfM, conflict.Matrix, conflict.Companion, conflict.History}
	p := conflict.Policy{ID: fmt.Sprint(number), Kind: kinds[rnd.IntN(len(kinds))]}
	sides := 2
	if p.Kind == conflict.NOfM || p.Kind == conflict.Matrix {
		sides = 2 + rnd.IntN(3)
	}
	for range sides {
		var side conflict.Side
		for range 1 + rnd.IntN(10)/7 {
			side.DutyIDs = append(side.DutyIDs, fmt.Sprint(rnd.IntN(len(w.duties))))
		}
		p.Sides = append(p.Sides, side)
	}
	switch p.Kind {
	case conflict.NOfM:
		p.N = 2 + rnd.IntN(sides-1)
	case conflict.Matrix:
		for i := range sides {
			for j := range i {
				if rnd.IntN(2) == 0 {
					p.Conflicts = append(p.Conflicts, [2]int{i, j})
				}
			}
		}
	case conflict.History:
		p.Window = time.Duration(rnd.IntN(100)) * 24 * time.Hour
	}
	p.Context.ExcludeReadOnly = rnd.IntN(3) == 0
	if p.Kind != conflict.Companion {
		for _, name := range traitNames {
			if rnd.IntN(3) == 0 {
				p.Context.Same = append(p.Context.Same, name)
			}
		}
	}
	return p
}

var today = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// access is the person as the evaluation is given it.
func (w *random) access() *conflict.Access {
	a := &conflict.Access{Traits: map[string]conflict.Traits{}, Now: today, Exempt: w.exempt}
	for i, s := range w.sources {
		given := conflict.Source{ID: fmt.Sprint(i), Pending: s.pending}
		for _, e := range w.closure(s.entitlements) {
			given.Gives = append(given.Gives, fmt.Sprint(e))
		}
		for _, r := range s.roles {
			given.RoleIDs = append(given.RoleIDs, fmt.Sprint(r))
		}
		a.Sources = append(a.Sources, given)
	}
	for _, p := range w.past {
		until := today.Add(-time.Duration(p[1]) * 24 * time.Hour)
		a.Past = append(a.Past, conflict.Past{EntitlementID: fmt.Sprint(p[0]), Until: until})
	}
	for e, t := range w.traits {
		values := map[string]string{}
		for i, name := range traitNames {
			if t[i] != "" {
				values[name] = t[i]
			}
		}
		a.Traits[fmt.Sprint(e)] = conflict.Traits{Values: values, ReadOnly: w.readOnly[e]}
	}
	return a
}

// closure is what some entitlements give through nesting.
func (w *random) closure(of []int) []int {
	reached := slices.Clone(of)
	for i := 0; i < len(reached); i++ {
		for _, n := range w.nested {
			if n[0] == reached[i] && !slices.Contains(reached, n[1]) {
				reached = append(reached, n[1])
			}
		}
	}
	return reached
}

func (w *random) rules() *conflict.Rules {
	return w.compile(func(id string) string { return id })
}

// compile is rules with other names of entitlements.
func (w *random) compile(name func(string) string) *conflict.Rules {
	duties := make([]conflict.Duty, len(w.duties))
	for i, groups := range w.duties {
		duties[i].ID = fmt.Sprint(i)
		for _, g := range groups {
			var ids []string
			for _, e := range g {
				ids = append(ids, name(fmt.Sprint(e)))
			}
			duties[i].Groups = append(duties[i].Groups, ids)
		}
	}
	r, err := conflict.Compile(w.policies, duties)
	if err != nil {
		panic(err)
	}
	return r
}
