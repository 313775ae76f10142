package mitigation

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

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
	Nudge    Event = "evidence_reminded" // the evidence that was asked for is due soon
	Warn     Event = "ending"            // it ends soon
	Miss     Event = "evidence_missed"   // the grace is over
	Raise    Event = "severity_raised"   // the violation is graver than what was approved
	End      Event = "expired"
	Settle   Event = "resolved" // the violation is remediated

	// Of controls with a stored query, which is asked when evidence is due.
	QueryPass Event = "query_passed"
	QueryFail Event = "query_failed"     // people are asked for evidence
	QueryOpen Event = "query_unanswered" // it could not be answered, and people are asked
)

// queryDue is what time brings to a mitigation whose stored query is to be asked. It is no event of the table: the
// answer is one of QueryPass, QueryFail and QueryOpen.
const queryDue Event = "query_due"

// transitions are the states that events lead to. An event that is left out is refused.
var transitions = map[State]map[Event]State{
	Proposed: {Approve: Active, Refuse: Refused, Withdraw: Withdrawn, Settle: Resolved},
	Active: inForce(map[Event]State{Warn: Active, Ask: EvidenceDue, Reject: EvidenceDue, QueryPass: Active,
		QueryFail: EvidenceDue, QueryOpen: EvidenceDue}),
	EvidenceDue: inForce(map[Event]State{Warn: EvidenceDue, Nudge: EvidenceDue, Provide: Active, Delay: EvidenceOverdue,
		Reject: EvidenceDue}),
	EvidenceOverdue: inForce(map[Event]State{Warn: EvidenceOverdue, Provide: Active, Miss: Lapsed,
		Reject: EvidenceOverdue}),
	Lapsed:    {},
	Expired:   {},
	Withdrawn: {},
	Refused:   {},
	Replaced:  {},
	Resolved:  {},
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

// lapses reports whether an event ends a mitigation without a person, so that on_lapse of its control applies.
func (e Event) lapses() bool { return e == Miss || e == Raise || e == End }

// Effect is what was done about violations that are open again because their mitigation lapsed or expired.
type Effect string

// Effects.
const (
	Reopened  Effect = "reopened"
	Revoked   Effect = "revoked"   // the revocation of a smallest cure was ordered for each of them
	Escalated Effect = "escalated" // the decision is urgent, and more people are asked
)

// effectOf is what on_lapse of a control means, if cures could be revoked or not. What cannot be revoked is escalated:
// a violation that was to end by itself is never left to wait.
func effectOf(onLapse string, revocable bool) Effect {
	switch {
	case onLapse == control.Revoke && revocable:
		return Revoked
	case onLapse == control.Revoke, onLapse == control.Escalate:
		return Escalated
	}
	return Reopened
}

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
