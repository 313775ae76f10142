package conflict

// Pass is the working memory of Suspects for one goroutine. Its numbers are of the round in which something was met, so
// that nothing is cleared between two people.
type Pass struct {
	rules  *Rules
	round  uint32
	groups []uint32
	duties []tally
	sides  []uint32 // of all policies in a row; see plan.first
	counts []tally  // sides of each policy
	passed []uint32 // policies that were found
	found  []int
}

// tally counts what was met in a round.
type tally struct {
	round uint32
	n     int32
}

func (t *tally) add(round uint32) int32 {
	if t.round != round {
		*t = tally{round: round}
	}
	t.n++
	return t.n
}

// NewPass returns working memory for a pass over many people.
func (r *Rules) NewPass() *Pass {
	return &Pass{
		rules:  r,
		groups: make([]uint32, len(r.groupDuty)),
		duties: make([]tally, len(r.groups)),
		sides:  make([]uint32, r.sides),
		counts: make([]tally, len(r.policies)),
		passed: make([]uint32, len(r.policies)),
	}
}

// Suspects returns the indices of the policies that a person with these entitlements may violate, whatever the
// contexts. Everything counts that the person holds, will hold or, for history policies, has held. The result is valid
// until the next call.
func (p *Pass) Suspects(entitlements []string) []int {
	p.round++
	p.found = p.found[:0]
	for _, id := range entitlements {
		for _, g := range p.rules.members.with(id) {
			if p.groups[g] == p.round {
				continue
			}
			p.groups[g] = p.round
			if d := p.rules.groupDuty[g]; p.duties[d].add(p.round) == p.rules.groups[d] {
				p.performed(d)
			}
		}
	}
	return p.found
}

// performed notes the sides that a duty is on, and finds policies whose sides suffice now.
func (p *Pass) performed(duty int32) {
	for _, at := range p.rules.dutySides[duty] {
		side := &p.sides[p.rules.plans[at.policy].first+at.side]
		if *side == p.round || p.passed[at.policy] == p.round {
			continue
		}
		*side = p.round
		if n := p.counts[at.policy].add(p.round); p.suffices(at, n) {
			p.passed[at.policy] = p.round
			p.found = append(p.found, int(at.policy))
		}
	}
}

// suffices reports whether n sides of a policy, of which at was met last, may violate it.
func (p *Pass) suffices(at sideOf, n int32) bool {
	pol := p.rules.policies[at.policy]
	switch pol.Kind {
	case Companion:
		return at.side == 0
	case NOfM:
		return int(n) >= pol.N
	case Matrix:
		first := p.rules.plans[at.policy].first
		for _, c := range pol.Conflicts {
			if p.sides[first+int32(c[0])] == p.round && p.sides[first+int32(c[1])] == p.round {
				return true
			}
		}
		return false
	default:
		return n == 2
	}
}
