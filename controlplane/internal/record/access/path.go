package access

import "slices"

// NestingPath is one way by which an account holds an entitlement: it holds the first of EntitlementIDs directly, and each one brings
// the next. The last is the entitlement itself.
type NestingPath struct {
	EntitlementIDs []string `json:"entitlement_ids" nullable:"false"`
	Kind           string   `json:"kind" enum:"nested"`
}

// Limits of the search for paths: nesting in a target may be a lattice with more ways than anybody wants to read.
const (
	maxPaths = 20
	maxDepth = 64
	maxSteps = 20_000
)

// nesting knows, for every entitlement, those that are nested in it.
type nesting map[string][]string

// paths finds the ways from what an account holds directly to an entitlement, the shorter ones first. A way never passes an
// entitlement twice. The search goes deep first: in a lattice every step then leads to a way, while the number of beginnings
// would double at each layer.
func (n nesting) paths(direct map[string]bool, entitlement string) []NestingPath {
	s := search{nesting: n, direct: direct, useful: n.leadsTo(direct, entitlement), found: []NestingPath{}}
	s.down([]string{entitlement})
	slices.SortStableFunc(s.found, func(a, b NestingPath) int { return len(a.EntitlementIDs) - len(b.EntitlementIDs) })
	return s.found
}

type search struct {
	nesting nesting
	direct  map[string]bool
	useful  map[string]bool
	found   []NestingPath
	steps   int
}

// down goes on from the way's last entitlement to all that are nested in it.
func (s *search) down(way []string) {
	if len(way) > maxDepth {
		return
	}
	for _, member := range s.nesting[way[len(way)-1]] {
		if s.steps++; len(s.found) == maxPaths || s.steps > maxSteps {
			return
		}
		if !s.useful[member] || slices.Contains(way, member) {
			continue
		}
		longer := append(way[:len(way):len(way)], member)
		if s.direct[member] {
			upward := slices.Clone(longer)
			slices.Reverse(upward)
			s.found = append(s.found, NestingPath{EntitlementIDs: upward, Kind: "nested"})
		}
		s.down(longer)
	}
}

// leadsTo gives the entitlements beneath one that are held directly or have such beneath themselves: the search need look
// nowhere else.
func (n nesting) leadsTo(direct map[string]bool, entitlement string) map[string]bool {
	above := map[string][]string{}
	seen := map[string]bool{entitlement: true}
	todo, useful, rising := []string{entitlement}, map[string]bool{}, []string{}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, member := range n[at] {
			above[member] = append(above[member], at)
			if !seen[member] {
				seen[member] = true
				todo = append(todo, member)
			}
		}
	}
	for member := range above {
		if direct[member] {
			useful[member] = true
			rising = append(rising, member)
		}
	}
	for len(rising) > 0 {
		at := rising[0]
		rising = rising[1:]
		for _, parent := range above[at] {
			if !useful[parent] {
				useful[parent] = true
				rising = append(rising, parent)
			}
		}
	}
	return useful
}
