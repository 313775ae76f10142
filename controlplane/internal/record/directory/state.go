package directory

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// States of an identity.
const (
	PreHire     = "pre_hire"
	Active      = "active"
	OnLeave     = "on_leave"
	Notice      = "notice"
	Deactivated = "deactivated"
	Archived    = "archived"
)

// moves are the states that each state may move to by an action. Archiving is apart: it is possible from every state.
var moves = map[string][]string{
	PreHire:     {Active, Deactivated},
	Active:      {OnLeave, Notice, Deactivated},
	OnLeave:     {Active, Notice, Deactivated},
	Notice:      {Active, Notice, Deactivated},
	Deactivated: {Active, Archived},
	Archived:    {},
}

// checkMove refuses a transition that the states do not know.
func checkMove(from, to string) error {
	if slices.Contains(moves[from], to) {
		return nil
	}
	return fault.Coded(fault.Conflict, "invalid_transition", "an identity that is %s cannot become %s", from, to).
		Also("allowed", moves[from])
}

// firstState is the state of somebody new: a start date in the future, in UTC, makes a pre-hire.
func firstState(f IdentityFields, now time.Time) string {
	if f.StartDate != nil && *f.StartDate > now.UTC().Format(time.DateOnly) {
		return PreHire
	}
	return Active
}

// leavingState is what deactivating somebody at a time makes of them: notice until then.
func leavingState(effective, now time.Time) string {
	if effective.After(now) {
		return Notice
	}
	return Deactivated
}
