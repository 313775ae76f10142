package conflict

// NumberedDuty is a duty whose members are positions in a list of entitlements.
type NumberedDuty struct {
	ID     string
	Groups [][]int32
}

// members has, for each entitlement that a duty names, the groups in which it is named. Groups are numbered through all
// duties, so that what a person performs is a set of small numbers. All lists of groups are one array, since there can
// be millions of members.
type members struct {
	ids    []string
	number map[string]int32
	first  []int32 // where the groups of each entitlement begin in groups, and the end of the last
	groups []int32
}

// membersOf sorts the members of duties by entitlement, each group of an entitlement once.
func membersOf(ids []string, duties []NumberedDuty) members {
	m := members{ids: ids, number: make(map[string]int32, len(ids)), first: make([]int32, len(ids)+1)}
	for i, id := range ids {
		m.number[id] = int32(i)
	}
	last := make([]int32, len(ids)) // the last group of each entitlement, from 1
	each := func(do func(entitlement, group int32)) {
		clear(last)
		group := int32(0)
		for _, d := range duties {
			for _, g := range d.Groups {
				for _, e := range g {
					if last[e] != group+1 {
						last[e] = group + 1
						do(e, group)
					}
				}
				group++
			}
		}
	}
	each(func(e, _ int32) { m.first[e+1]++ })
	for i := range ids {
		m.first[i+1] += m.first[i]
	}
	m.groups = make([]int32, m.first[len(ids)])
	next := append([]int32{}, m.first[:len(ids)]...)
	each(func(e, group int32) {
		m.groups[next[e]] = group
		next[e]++
	})
	return m
}

// with returns the groups in which an entitlement is named.
func (m *members) with(id string) []int32 {
	n, named := m.number[id]
	if !named {
		return nil
	}
	return m.groups[m.first[n]:m.first[n+1]]
}

// Entitlements returns all entitlements that a duty names, each once. No others decide whether a policy is violated.
// The list must not be changed.
func (r *Rules) Entitlements() []string { return r.members.ids }

// Members returns the number of members of all groups of all duties. They are most of the memory of the rules.
func (r *Rules) Members() int { return len(r.members.groups) }
