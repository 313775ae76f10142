package requirement

import "github.com/grantwright/grantwright/controlplane/internal/ground/fault"

// State is how far a requirement gap is.
type State string

// States of a requirement gap.
const (
	Open     State = "open"
	Exempted State = "exempted" // accepted for a limited time
	Closed   State = "closed"   // the person lacks nothing, or the policy requires nothing of them
)

// Event is something that happens to a requirement gap.
type Event string

// Events.
const (
	Lacking   Event = "lacking"
	Beyond    Event = "lacking_more" // something is missing that the exemption does not cover
	Satisfied Event = "satisfied"
	Exempt    Event = "exempted"
	Lapsed    Event = "reopened" // the exemption has ended, or was withdrawn
)

// transitions are the states that events lead to. An event that is left out is refused.
var transitions = map[State]map[Event]State{
	Open:     {Lacking: Open, Beyond: Open, Satisfied: Closed, Exempt: Exempted},
	Exempted: {Lacking: Exempted, Beyond: Open, Satisfied: Closed, Exempt: Exempted, Lapsed: Open},
	Closed:   {Lacking: Open, Beyond: Open, Satisfied: Closed},
}

// On returns the state after an event. Its fault is of kind Conflict.
func (s State) On(e Event) (State, error) {
	next, possible := transitions[s][e]
	if !possible {
		return s, fault.Coded(
			fault.Conflict, "invalid_transition", "The requirement gap is %s and cannot be %s.", s, e,
		).Also("allowed", allowed(s))
	}
	return next, nil
}

// reopens reports whether an event opens a gap that was closed or exempted.
func (s State) reopens(next State) bool { return s != Open && next == Open }

// allowed are the actions of people that are possible in a state.
func allowed(s State) []string {
	switch s {
	case Open:
		return []string{"exempt"}
	case Exempted:
		return []string{"exempt", "withdraw-exemption"}
	}
	return []string{}
}
