package conflict

import (
	"maps"
	"slices"
	"time"
)

// Check returns all violations in the access of one person, in the order of the policies.
func (r *Rules) Check(a *Access) []Violation {
	return r.CheckSuspects(a, r.NewPass().Suspects(a.Entitlements()))
}

// CheckSuspects checks only the policies with these indices, as Suspects returned them for the same access.
func (r *Rules) CheckSuspects(a *Access, suspects []int) []Violation {
	if len(suspects) == 0 {
		return nil
	}
	ordered := slices.Sorted(slices.Values(suspects))
	if len(a.Exempt) > 0 {
		ordered = slices.DeleteFunc(ordered, func(i int) bool { return a.Exempt[r.policies[i].ID] })
	}
	p := r.personOf(a, ordered)
	var found []Violation
	for _, i := range ordered {
		for _, q := range r.questions(i) {
			if v, violates := p.world(i, q).judge(); violates {
				found = append(found, v)
			}
		}
	}
	return found
}

// Entitlements returns each entitlement of the access once, the past included.
func (a *Access) Entitlements() []string {
	seen := map[string]bool{}
	for _, s := range a.Sources {
		for _, id := range s.Gives {
			seen[id] = true
		}
	}
	for _, p := range a.Past {
		seen[p.EntitlementID] = true
	}
	return slices.Collect(maps.Keys(seen))
}

// question is one conflict of a policy: at least need of these sides, in one context.
type question struct {
	sides []int
	need  int
}

// questions are what a policy asks of a person. A matrix asks one question for each of its conflicts, so that each is a
// violation of its own; all other kinds ask one.
func (r *Rules) questions(policy int) []question {
	p := r.policies[policy]
	switch p.Kind {
	case Matrix:
		list := make([]question, 0, len(p.Conflicts))
		for _, c := range p.Conflicts {
			list = append(list, question{sides: []int{min(c[0], c[1]), max(c[0], c[1])}, need: 2})
		}
		return list
	case Companion:
		return []question{{sides: []int{0}, need: 1}}
	case NOfM:
		all := make([]int, len(p.Sides))
		for i := range all {
			all[i] = i
		}
		return []question{{sides: all, need: p.N}}
	default:
		return []question{{sides: []int{0, 1}, need: 2}}
	}
}

// holding is one entitlement of a person that a question is about.
type holding struct {
	id      string
	groups  []int // groups of the case in which it is named
	values  []int // value of each compared trait; anywhere if the entitlement has none
	sources []int // what gives it
	past    bool  // held within the window of a history policy
}

// anywhere is the value of a trait that an entitlement does not have: it agrees with every value.
const anywhere = -1

// duty of a case: a side is performed by one of its duties, and a duty by all of its groups.
type duty struct {
	side   int // index in question.sides
	groups []int
}

// world is one question about one person.
type world struct {
	question
	policy   *Policy
	access   *Access
	duties   []duty
	dutyOf   []int // duty of each group
	holdings []holding
	values   [][]int // of each compared trait: the values that occur
	missing  bool    // of a companion policy: the second side is not performed
}

// layOut numbers the groups of the duties that the question is about, and collects the entitlements in them.
func (w *world) layOut(p *person, pl plan) {
	at := map[int]int{} // entitlement of the person to holding
	traits := make([]map[string]int, len(w.policy.Context.Same))
	for i, side := range w.sides {
		for _, d := range pl.sides[side] {
			local := duty{side: i}
			for _, g := range p.rules.groupsOf(d) {
				number := len(w.dutyOf)
				w.dutyOf = append(w.dutyOf, len(w.duties))
				local.groups = append(local.groups, number)
				for _, e := range p.groups[g] {
					if h := w.hold(p, e, at, traits); h >= 0 {
						w.holdings[h].groups = append(w.holdings[h].groups, number)
					}
				}
			}
			w.duties = append(w.duties, local)
		}
	}
	w.values = make([][]int, len(traits))
	for i, t := range traits {
		w.values[i] = slices.Sorted(maps.Values(t))
	}
}

// hold returns the holding of an entitlement, or -1 if the policy does not count it.
func (w *world) hold(p *person, entitlement int, at map[int]int, traits []map[string]int) int {
	if h, known := at[entitlement]; known {
		return h
	}
	e := &p.held[entitlement]
	t := w.access.Traits[e.id]
	past := w.policy.Kind == History && e.past && !e.until.Before(w.access.Now.Add(-w.policy.Window))
	if w.policy.Context.ExcludeReadOnly && t.ReadOnly || len(e.sources) == 0 && !past {
		at[entitlement] = -1
		return -1
	}
	at[entitlement] = len(w.holdings)
	w.holdings = append(w.holdings, holding{
		id:      e.id,
		sources: e.sources,
		past:    past,
		values:  w.traitValues(t, traits),
	})
	return at[entitlement]
}

// traitValues numbers the values of the traits that the policy compares.
func (w *world) traitValues(t Traits, known []map[string]int) []int {
	values := make([]int, len(known))
	for i, name := range w.policy.Context.Same {
		value, has := t.Values[name]
		if !has || value == "" {
			values[i] = anywhere
			continue
		}
		if known[i] == nil {
			known[i] = map[string]int{}
		}
		number, seen := known[i][value]
		if !seen {
			number = len(known[i])
			known[i][value] = number
		}
		values[i] = number
	}
	return values
}

// judge decides the question, and explains the violation if there is one.
func (w *world) judge() (Violation, bool) {
	if w.policy.Kind == Companion && !w.missing || w.broken(nil) == nil {
		return Violation{}, false
	}
	v := Violation{Policy: w.policy, Sides: w.performed()}
	v.Grade = w.grade(v.Sides)
	v.Cures, v.Proven = w.cures()
	return v, true
}

// performed returns the sides that are performed in any context in which the policy is violated.
func (w *world) performed() []Performed {
	entitlements := make([]map[int]bool, len(w.sides))
	w.contexts(nil, func(m moment) bool {
		for d, duty := range w.duties {
			if !m.duties[d] {
				continue
			}
			if entitlements[duty.side] == nil {
				entitlements[duty.side] = map[int]bool{}
			}
			for _, h := range m.holdings {
				if slices.ContainsFunc(w.holdings[h].groups, func(g int) bool { return w.dutyOf[g] == d }) &&
					w.counts(h, duty.side, nil) {
					entitlements[duty.side][h] = true
				}
			}
		}
		return true
	})
	var list []Performed
	for i, held := range entitlements {
		if held == nil {
			continue
		}
		p := Performed{Side: w.sides[i], Past: true}
		sources := map[int]bool{}
		for h := range held {
			p.EntitlementIDs = append(p.EntitlementIDs, w.holdings[h].id)
			p.Past = p.Past && len(w.holdings[h].sources) == 0
			for _, s := range w.holdings[h].sources {
				sources[s] = true
			}
		}
		slices.Sort(p.EntitlementIDs)
		p.Sources = slices.Sorted(maps.Keys(sources))
		list = append(list, p)
	}
	return list
}

// moment is a context in which enough sides are performed.
type moment struct {
	holdings []int  // that agree with it
	duties   []bool // that are performed in it
	sides    []int  // that are performed in it, as indices of question.sides
}

// broken returns a context in which the policy is still violated without the removed sources, or nil.
func (w *world) broken(removed []bool) *moment {
	var found *moment
	w.contexts(removed, func(m moment) bool {
		found = &m
		return false
	})
	return found
}

// contexts calls each with the contexts in which enough sides are performed, until it returns false. A context is one
// value for each compared trait. It is enough to try values that occur: entitlements that apply everywhere agree with
// all of them. What does not suffice without a trait does not suffice with it, so most contexts are never tried.
func (w *world) contexts(removed []bool, each func(moment) bool) {
	all := make([]int, len(w.holdings))
	for i := range all {
		all[i] = i
	}
	w.narrow(removed, all, 0, each)
}

func (w *world) narrow(removed []bool, holdings []int, trait int, each func(moment) bool) bool {
	m := w.reckon(removed, holdings)
	if len(m.sides) < w.need {
		return true
	}
	if trait == len(w.values) {
		return each(m)
	}
	occurring := map[int]bool{}
	for _, h := range holdings {
		if v := w.holdings[h].values[trait]; v != anywhere {
			occurring[v] = true
		}
	}
	if len(occurring) == 0 {
		return w.narrow(removed, holdings, trait+1, each)
	}
	for _, v := range slices.Sorted(maps.Keys(occurring)) {
		agreeing := make([]int, 0, len(holdings))
		for _, h := range holdings {
			if at := w.holdings[h].values[trait]; at == v || at == anywhere {
				agreeing = append(agreeing, h)
			}
		}
		if !w.narrow(removed, agreeing, trait+1, each) {
			return false
		}
	}
	return true
}

// reckon returns what is performed by these holdings without the removed sources.
func (w *world) reckon(removed []bool, holdings []int) moment {
	met := make([]bool, len(w.dutyOf))
	count := make([]int, len(w.duties))
	for _, h := range holdings {
		for _, g := range w.holdings[h].groups {
			d := w.dutyOf[g]
			if !met[g] && w.counts(h, w.duties[d].side, removed) {
				met[g] = true
				count[d]++
			}
		}
	}
	m := moment{holdings: holdings, duties: make([]bool, len(w.duties))}
	for d := range w.duties {
		if count[d] == len(w.duties[d].groups) {
			m.duties[d] = true
			if side := w.duties[d].side; !slices.Contains(m.sides, side) {
				m.sides = append(m.sides, side)
			}
		}
	}
	slices.Sort(m.sides)
	return m
}

// counts reports whether a holding is there for a side: it is given by a source that is not removed, or was held within
// the window of a history policy, which counts for the second side alone.
func (w *world) counts(h, side int, removed []bool) bool {
	sources := w.holdings[h].sources
	if removed == nil {
		return w.fromPast(h, side) || len(sources) > 0
	}
	return w.fromPast(h, side) || slices.ContainsFunc(sources, func(s int) bool { return !removed[s] })
}

// fromPast reports whether a holding counts for a side because it was held within the window, whatever gives it now.
func (w *world) fromPast(h, side int) bool { return w.holdings[h].past && w.sides[side] == 1 }

// usedWithin is how long ago access may have been used last to count as exercised.
const usedWithin = 90 * 24 * time.Hour

// grade says how much of a violation is fact.
func (w *world) grade(sides []Performed) Grade {
	sources := w.access.Sources
	without := func(out func(Source) bool) bool {
		removed := make([]bool, len(sources))
		for i := range sources {
			removed[i] = out(sources[i])
		}
		return w.broken(removed) == nil
	}
	if without(func(s Source) bool { return s.Pending }) {
		return Latent
	}
	if w.policy.Kind != Companion && w.policy.Kind != History {
		for _, role := range w.roles() {
			if !without(func(s Source) bool { return !slices.Contains(s.RoleIDs, role) }) {
				return InsideRole
			}
		}
	}
	used := 0
	for _, side := range sides {
		if slices.ContainsFunc(side.EntitlementIDs, func(id string) bool {
			at, known := w.access.Used[id]
			return known && !at.Before(w.access.Now.Add(-usedWithin))
		}) {
			used++
		}
	}
	switch {
	case used >= 2:
		return ExercisedBoth
	case used == 1:
		return ExercisedOne
	default:
		return Potential
	}
}

// roles are the roles behind the sources, each once.
func (w *world) roles() []string {
	seen := map[string]bool{}
	for _, h := range w.holdings {
		for _, s := range h.sources {
			for _, id := range w.access.Sources[s].RoleIDs {
				seen[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
