package violation

import "github.com/grantwright/grantwright/controlplane/internal/ground/fault"

// State is how far a violation is.
type State string

// States of a violation.
const (
	Open          State = "open"
	FalsePositive State = "false_positive" // marked; valid for a version of the policy and the access found then
	Remediated    State = "remediated"     // an evaluation no longer found it
)

// Event is something that happens to a violation.
type Event string

// Events.
const (
	Found  Event = "found"
	Beyond Event = "found_beyond_mark" // with another version of the policy, or more access, than the mark applies to
	Absent Event = "absent"
	Marked Event = "marked"
)

// transitions are the states that events lead to. An event that is left out is refused.
var transitions = map[State]map[Event]State{
	Open:          {Found: Open, Beyond: Open, Absent: Remediated, Marked: FalsePositive},
	FalsePositive: {Found: FalsePositive, Beyond: Open, Absent: Remediated},
	Remediated:    {Found: Open, Beyond: Open, Absent: Remediated},
}

// On returns the state after an event. Its fault is of kind Conflict.
func (s State) On(e Event) (State, error) {
	next, possible := transitions[s][e]
	if !possible {
		return s, fault.Coded(fault.Conflict, "invalid_transition", "The violation is %s and cannot be %s.", s, e).
			Also("allowed", allowed(s))
	}
	return next, nil
}

// reopens reports whether an event opens a violation that was settled.
func (s State) reopens(next State) bool { return s != Open && next == Open }

// allowed are the actions of people that are possible in a state.
func allowed(s State) []string {
	if s == Open {
		return []string{"remediate", "false-positive", "assign"}
	}
	return []string{}
}
