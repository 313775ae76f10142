package violation

import "github.com/grantwright/grantwright/controlplane/internal/ground/fault"

// State is how far a violation is.
type State string

// States of a violation.
const (
	Open          State = "open"
	Mitigated     State = "mitigated"      // covered by a mitigating control for a limited time
	FalsePositive State = "false_positive" // marked; valid for a version of the policy and the access found then
	Remediated    State = "remediated"     // an evaluation no longer found it
)

// Event is something that happens to a violation.
type Event string

// Events.
const (
	Found    Event = "found"
	Covered  Event = "mitigated"         // it is found, or a mitigation begins, and a mitigation covers it
	Beyond   Event = "found_beyond_mark" // no mitigation covers it, nor does the mark: another version, or more access
	Absent   Event = "absent"
	Marked   Event = "marked"
	Unmarked Event = "unmarked" // the mark was withdrawn
	Lapsed   Event = "reopened" // its mitigation has ended
)

// transitions are the states that events lead to. An event that is left out is refused.
var transitions = map[State]map[Event]State{
	Open:          {Found: Open, Covered: Mitigated, Beyond: Open, Absent: Remediated, Marked: FalsePositive},
	Mitigated:     {Covered: Mitigated, Beyond: Open, Absent: Remediated, Lapsed: Open},
	FalsePositive: {Found: FalsePositive, Covered: Mitigated, Beyond: Open, Absent: Remediated, Unmarked: Open},
	Remediated:    {Found: Open, Covered: Mitigated, Beyond: Open, Absent: Remediated},
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
	switch s {
	case Open:
		return []string{"remediate", "mitigate", "false-positive", "assign"}
	case Mitigated:
		return []string{"remediate", "mitigate", "assign"}
	case FalsePositive:
		return []string{"withdraw-false-positive", "assign"}
	}
	return []string{}
}
