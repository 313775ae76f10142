package violation

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// model is what a violation is by its meaning, not by the table: whether its access exists, whether somebody has
// marked it, and whether a mitigation covers it.
type model struct {
	held      bool // as the last evaluation saw it
	marked    bool
	mitigated bool
}

func (m model) state() State {
	switch {
	case !m.held:
		return Remediated
	case m.mitigated:
		return Mitigated
	case m.marked:
		return FalsePositive
	default:
		return Open
	}
}

// TestStatesFollowTheirMeaning lets any events happen in any order. An evaluation that finds nothing always settles a
// violation, one that finds access always opens it unless a mark or a mitigation covers it, and nothing else changes a
// state but the mark itself and the end of a mitigation.
func TestStatesFollowTheirMeaning(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, m := Open, model{held: true}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			e := rapid.SampledFrom([]Event{Found, Covered, Beyond, Absent, Marked, Unmarked, Lapsed}).Draw(rt, "event")
			next, err := s.On(e)
			possible := true
			switch e {
			case Found: // an evaluation tells Covered or Beyond of what was mitigated
				if possible = m.state() != Mitigated; possible {
					m.held = true
				}
			case Covered:
				m = model{held: true, mitigated: true}
			case Beyond:
				m = model{held: true}
			case Absent:
				m = model{}
			case Marked:
				if possible = m.state() == Open; possible {
					m.marked = true
				}
			case Unmarked:
				if possible = m.state() == FalsePositive; possible {
					m.marked = false
				}
			case Lapsed:
				if possible = m.state() == Mitigated; possible {
					m.mitigated = false
				}
			}
			if possible != (err == nil) {
				rt.Fatalf("%s in %s: %v", e, s, err)
			}
			if next != m.state() {
				rt.Fatalf("%s in %s leads to %s; want %s", e, s, next, m.state())
			}
			if s.reopens(next) != (s != Open && m.state() == Open) {
				rt.Fatalf("%s to %s: reopened %v", s, next, s.reopens(next))
			}
			s = next
		}
	})
}

func TestEveryStateIsReachedAndLeft(t *testing.T) {
	reached := map[State]bool{}
	for from, events := range transitions {
		left := false
		for _, to := range events {
			reached[to] = true
			left = left || to != from
		}
		if !left {
			t.Errorf("nothing leaves %s", from)
		}
	}
	for state := range transitions {
		if !reached[state] {
			t.Errorf("nothing leads to %s", state)
		}
		if slices.Contains(allowed(state), "false-positive") != (transitions[state][Marked] != "") {
			t.Errorf("%s allows %v", state, allowed(state))
		}
	}
}
