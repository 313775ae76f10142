package conflict

import "time"

// person is the access of one person by entitlement, for the policies that are checked.
type person struct {
	rules  *Rules
	access *Access
	held   []entitlement
	groups map[int32][]int // entitlements in each group of a duty that the policies name
}

// entitlement is one entitlement with everything that gives it.
type entitlement struct {
	id      string
	sources []int
	past    bool
	until   time.Time // when it was last held, if past
}

// personOf prepares a person for the check of some policies.
func (r *Rules) personOf(a *Access, policies []int) *person {
	p := &person{rules: r, access: a, groups: map[int32][]int{}}
	number := map[string]int{}
	find := func(id string) *entitlement {
		i, known := number[id]
		if !known {
			i = len(p.held)
			number[id] = i
			p.held = append(p.held, entitlement{id: id})
		}
		return &p.held[i]
	}
	for s, source := range a.Sources {
		for _, id := range source.Gives {
			if e := find(id); len(e.sources) == 0 || e.sources[len(e.sources)-1] != s {
				e.sources = append(e.sources, s)
			}
		}
	}
	for _, past := range a.Past {
		e := find(past.EntitlementID)
		if !e.past || past.Until.After(e.until) {
			e.past, e.until = true, past.Until
		}
	}
	for _, i := range policies {
		for _, side := range r.plans[i].sides {
			for _, d := range side {
				for _, g := range r.groupsOf(d) {
					p.groups[g] = nil
				}
			}
		}
	}
	for i := range p.held {
		for _, g := range r.members.with(p.held[i].id) {
			if _, asked := p.groups[g]; asked {
				p.groups[g] = append(p.groups[g], i)
			}
		}
	}
	return p
}

// world is one question of a policy about the person.
func (p *person) world(policy int, q question) *world {
	w := &world{question: q, policy: p.rules.policies[policy], access: p.access}
	w.layOut(p, p.rules.plans[policy])
	if w.policy.Kind == Companion {
		second := &world{question: question{sides: []int{1}, need: 1}, policy: w.policy, access: p.access}
		second.layOut(p, p.rules.plans[policy])
		w.missing = second.broken(nil) == nil
	}
	return w
}
