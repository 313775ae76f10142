package requirement

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// model is what a gap is by its meaning, not by the table: whether something is missing, and whether somebody has
// accepted that for a time.
type model struct{ missing, exempted bool }

func (m model) state() State {
	switch {
	case !m.missing:
		return Closed
	case m.exempted:
		return Exempted
	}
	return Open
}

// TestStatesFollowTheirMeaning lets any events happen in any order.
func TestStatesFollowTheirMeaning(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, m := Open, model{missing: true}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			e := rapid.SampledFrom([]Event{Lacking, Beyond, Satisfied, Exempt, Lapsed}).Draw(rt, "event")
			next, err := s.On(e)
			possible := true
			switch e {
			case Lacking:
				m.missing = true
			case Beyond:
				m = model{missing: true}
			case Satisfied:
				m = model{}
			case Exempt:
				if possible = m.missing; possible {
					m.exempted = true
				}
			case Lapsed:
				if possible = m.exempted; possible {
					m.exempted = false
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

func TestEveryStateAllowsWhatItsEventsDo(t *testing.T) {
	for state, events := range transitions {
		if slices.Contains(allowed(state), "exempt") != (events[Exempt] != "") {
			t.Errorf("%s allows %v", state, allowed(state))
		}
		if slices.Contains(allowed(state), "withdraw-exemption") != (events[Lapsed] != "") {
			t.Errorf("%s allows %v", state, allowed(state))
		}
	}
}
