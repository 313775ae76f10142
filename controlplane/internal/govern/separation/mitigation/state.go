package mitigation

import "github.com/grantwright/grantwright/controlplane/internal/ground/fault"

// State is how far a mitigation is.
type State string

// States of a mitigation.
const (
	Proposed        State = "proposed"
	Active          State = "active"
	EvidenceDue     State = "evidence_due"
	EvidenceOverdue State = "evidence_overdue"
	Lapsed          State = "lapsed"    // evidence was not provided in time, or the severity was raised
	Expired         State = "expired"   // its duration is over
	Withdrawn       State = "withdrawn" // by a person
	Refused         State = "refused"
	Replaced        State = "replaced" // by another mitigation of the same violation
	Resolved        State = "resolved" // the violation is remediated
)

// Event is something that happens to a mitigation.
type Event string

// Events.
const (
	Approve  Event = "approved"
	Refuse   Event = "refused"
	Withdraw Event = "withdrawn"
	Replace  Event = "replaced"
	Ask      Event = "evidence_asked" // evidence will be due soon
	Provide  Event = "evidence_provided"
	Reject   Event = "evidence_rejected" // other evidence is needed
	Delay    Event = "evidence_delayed"  // evidence is due and was not provided
	Miss     Event = "evidence_missed"   // the grace is over
	Raise    Event = "severity_raised"   // the violation is graver than what was approved
	End      Event = "expired"
	Settle   Event = "resolved" // the violation is remediated
)

// transitions are the states that events lead to. An event that is left out is refused.
var transitions = map[State]map[Event]State{
	Proposed:        {Approve: Active, Refuse: Refused, Withdraw: Withdrawn, Settle: Resolved},
	Active:          inForce(map[Event]State{Ask: EvidenceDue, Reject: EvidenceDue}),
	EvidenceDue:     inForce(map[Event]State{Provide: Active, Delay: EvidenceOverdue, Reject: EvidenceDue}),
	EvidenceOverdue: inForce(map[Event]State{Provide: Active, Miss: Lapsed, Reject: EvidenceOverdue}),
	Lapsed:          {},
	Expired:         {},
	Withdrawn:       {},
	Refused:         {},
	Replaced:        {},
	Resolved:        {},
}

// inForce adds the events that can end each mitigation that is in force.
func inForce(own map[Event]State) map[Event]State {
	for e, s := range map[Event]State{Withdraw: Withdrawn, Replace: Replaced, Raise: Lapsed, End: Expired,
		Settle: Resolved} {
		own[e] = s
	}
	return own
}

// On returns the state after an event. Its fault is of kind Conflict.
func (s State) On(e Event) (State, error) {
	next, possible := transitions[s][e]
	if !possible {
		return s, fault.Coded(fault.Conflict, "invalid_transition", "The mitigation is %s and cannot be %s.", s, e).
			Also("allowed", allowed(s))
	}
	return next, nil
}

// Mitigates reports whether the violation of a mitigation in this state is mitigated.
func (s State) Mitigates() bool { return s == Active || s == EvidenceDue || s == EvidenceOverdue }

// hasEnded reports whether nothing can happen any more.
func (s State) hasEnded() bool { return len(transitions[s]) == 0 }

// allowed are the actions of people that are possible in a state.
func allowed(s State) []string {
	switch {
	case s == EvidenceDue || s == EvidenceOverdue:
		return []string{"evidence", "withdraw"}
	case s.hasEnded():
		return []string{}
	}
	return []string{"withdraw"}
}
