package simulation

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// State is how far a stored simulation is.
type State string

// States of a stored simulation.
const (
	Waiting   State = "waiting"
	Running   State = "running"
	Completed State = "completed"
	Cancelled State = "cancelled"
	Failed    State = "failed"
)

// Event is something that happens to a stored simulation.
type Event string

// Events.
const (
	Begin   Event = "begun"
	Advance Event = "advanced" // some people were evaluated
	Finish  Event = "completed"
	Cancel  Event = "cancelled"
	TimeOut Event = "timed_out"   // it ran for longer than it may
	Lose    Event = "definitions" // a duty that it needs is gone or no longer valid
)

// transitions are the states that events lead to. An event that is left out is refused.
var transitions = map[State]map[Event]State{
	Waiting:   {Begin: Running, Cancel: Cancelled},
	Running:   {Advance: Running, Finish: Completed, Cancel: Cancelled, TimeOut: Failed, Lose: Failed},
	Completed: {},
	Cancelled: {},
	Failed:    {},
}

// On returns the state after an event. Its fault is of kind Conflict.
func (s State) On(e Event) (State, error) {
	next, possible := transitions[s][e]
	if possible {
		return next, nil
	}
	allowed := []string{}
	if _, may := transitions[s][Cancel]; may {
		allowed = append(allowed, "cancel")
	}
	return s, fault.Coded(fault.Conflict, "invalid_transition", "The simulation is %s and cannot be %s.", s, e).
		Also("allowed", allowed)
}

// IsLive reports whether something can still happen to a simulation in the state.
func (s State) IsLive() bool { return len(transitions[s]) > 0 }

// live are the states of simulations that have not ended.
func live() []string {
	var list []string
	for s := range transitions {
		if s.IsLive() {
			list = append(list, string(s))
		}
	}
	slices.Sort(list)
	return list
}
