package review

import (
	"testing"

	"pgregory.net/rapid"
)

// model is what a review is by its meaning: whether there is access that no decision covers, and whether a decision
// covers what there is.
type model struct{ uncovered, kept bool }

func (m model) state() State {
	switch {
	case m.uncovered:
		return Open
	case m.kept:
		return Kept
	}
	return Closed
}

// TestStatesFollowTheirMeaning lets any events happen in any order. Only an open review can be decided.
func TestStatesFollowTheirMeaning(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, m := Open, model{uncovered: true}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			e := rapid.SampledFrom([]Event{Unmatched, Unchanged, Settled, Keep, End}).Draw(rt, "event")
			next, err := s.On(e)
			possible := m.uncovered || e != Keep && e != End
			switch {
			case e == Unmatched:
				m = model{uncovered: true}
			case e == Settled:
				m = model{}
			case e == Keep && possible:
				m = model{kept: true}
			case e == End && possible:
				m = model{}
			}
			if possible != (err == nil) {
				rt.Fatalf("%s in %s: %v", e, s, err)
			}
			if next != m.state() {
				rt.Fatalf("%s in %s leads to %s; want %s", e, s, next, m.state())
			}
			s = next
		}
	})
}
