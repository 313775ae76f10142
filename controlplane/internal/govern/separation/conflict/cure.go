package conflict

import (
	"cmp"
	"maps"
	"slices"
)

// Limits of the search for the smallest cures.
const (
	MaxCures = 20    // of the same size that are returned
	maxSteps = 5_000 // sets of sources that are tried for one violation
)

// search looks for the smallest sets of sources whose removal ends a violation. It is exact: each step takes a
// context in which the policy is still violated, with any need of its performed sides. A cure must end one of these
// sides there, so it must end the first performed duty of it, so it must take everything that meets one group of
// that duty. Those are the only branches. Sets that cannot become smaller than the best are left out.
type search struct {
	*world
	best  int
	found map[string][]int
	tried map[string]bool
	steps int
}

// cures returns the smallest cures and whether they are proven to be the smallest.
func (w *world) cures() ([][]int, bool) {
	s := &search{world: w, best: len(w.access.Sources), found: map[string][]int{}, tried: map[string]bool{}}
	first := s.greedy()
	if first == nil {
		return nil, true
	}
	s.keep(first)
	s.branch(make([]bool, len(w.access.Sources)), 0)
	list := slices.SortedFunc(maps.Values(s.found), slices.Compare)
	return list[:min(len(list), MaxCures)], s.steps <= maxSteps
}

// greedy takes the smallest branch at each step, and puts back what was not needed in the end. It returns nil if no
// removal helps, as when a policy of the kind history is violated by the past alone.
func (s *search) greedy() []bool {
	removed := make([]bool, len(s.access.Sources))
	for m := s.broken(removed); m != nil; m = s.broken(removed) {
		blocks := s.blocks(m, removed)
		if len(blocks) == 0 {
			return nil
		}
		for _, source := range blocks[0] {
			removed[source] = true
		}
	}
	for i := range removed {
		if removed[i] {
			removed[i] = false
			removed[i] = s.broken(removed) != nil
		}
	}
	return removed
}

func (s *search) branch(removed []bool, size int) {
	if s.steps++; s.steps > maxSteps || size > s.best {
		return
	}
	m := s.broken(removed)
	if m == nil {
		s.keep(removed)
		return
	}
	for _, block := range s.blocks(m, removed) {
		if size+len(block) > s.best {
			continue
		}
		next := slices.Clone(removed)
		for _, source := range block {
			next[source] = true
		}
		if key := keyOf(next); !s.tried[key] {
			s.tried[key] = true
			s.branch(next, size+len(block))
		}
	}
}

// keep notes a cure, and forgets larger ones.
func (s *search) keep(removed []bool) {
	cure := indices(removed)
	if len(cure) < s.best {
		s.best = len(cure)
		clear(s.found)
	}
	s.found[keyOf(removed)] = cure
}

// blocks returns the sets of sources of which one must be taken to end a violation in a context, the smallest first. A
// group that is met by the past cannot be emptied.
func (s *search) blocks(m *moment, removed []bool) [][]int {
	var list [][]int
	for _, side := range m.sides[:s.need] {
		d := 0
		for !m.duties[d] || s.duties[d].side != side {
			d++
		}
		for _, g := range s.duties[d].groups {
			if block, possible := s.meets(m, g, side, removed); possible {
				list = append(list, block)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
	return list
}

// meets returns all sources that meet a group in a context.
func (s *search) meets(m *moment, group, side int, removed []bool) (block []int, possible bool) {
	for _, h := range m.holdings {
		held := &s.holdings[h]
		if !slices.Contains(held.groups, group) {
			continue
		}
		if s.fromPast(h, side) {
			return nil, false
		}
		for _, source := range held.sources {
			if !removed[source] && !slices.Contains(block, source) {
				block = append(block, source)
			}
		}
	}
	return block, true
}

func indices(set []bool) []int {
	list := []int{}
	for i, in := range set {
		if in {
			list = append(list, i)
		}
	}
	return list
}

func keyOf(set []bool) string {
	key := make([]byte, (len(set)+7)/8)
	for i, in := range set {
		if in {
			key[i/8] |= 1 << (i % 8)
		}
	}
	return string(key)
}
