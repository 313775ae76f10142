package review

import "github.com/grantwright/grantwright/controlplane/internal/ground/fault"

// State is how far a review is.
type State string

// States of a review.
const (
	Open   State = "open"
	Kept   State = "kept"   // the access ends on a date
	Closed State = "closed" // it was ended, or needs no decision any more
)

// Event is something that happens to a review.
type Event string

// Events.
const (
	Unmatched Event = "unmatched"
	Unchanged Event = "unchanged"
	Settled   Event = "settled"
	Keep      Event = "kept"
	End       Event = "ended"
)

// transitions are the states that events lead to. An event that is left out is refused.
var transitions = map[State]map[Event]State{
	Open:   {Unmatched: Open, Unchanged: Open, Settled: Closed, Keep: Kept, End: Closed},
	Kept:   {Unmatched: Open, Unchanged: Kept, Settled: Closed},
	Closed: {Unmatched: Open, Unchanged: Closed, Settled: Closed},
}

// On returns the state after an event. Its fault is of kind Conflict.
func (s State) On(e Event) (State, error) {
	next, possible := transitions[s][e]
	if !possible {
		return s, fault.Coded(fault.Conflict, "invalid_transition", "The review is %s and cannot be %s.", s, e).
			Also("allowed", []string{})
	}
	return next, nil
}
