package accessrequest

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Statuses of requests and items.
const (
	Submitted          = "submitted"
	Pending            = "pending_approval"
	Blocked            = "blocked"
	Approved           = "approved"
	Rejected           = "rejected"
	Cancelled          = "cancelled"
	Expired            = "expired"
	Scheduled          = "scheduled"
	Provisioning       = "provisioning"
	Fulfilled          = "fulfilled"
	PartiallyFulfilled = "partially_fulfilled" // of requests alone
	Failed             = "failed"
	Closed             = "closed"
)

// undecided are the statuses in which an item waits for an answer.
var undecided = []string{Submitted, Pending, Blocked}

// denied are those in which an item has ended without access.
var denied = []string{Rejected, Expired, Cancelled}

// StatusOf returns the status of a request whose items have these statuses.
func StatusOf(items []string) string {
	has := func(status string) bool { return slices.Contains(items, status) }
	only := func(of ...string) bool {
		return !slices.ContainsFunc(items, func(s string) bool { return !slices.Contains(of, s) })
	}
	switch {
	case has(Pending):
		return Pending
	case has(Blocked):
		return Blocked
	case has(Submitted):
		return Submitted
	case only(denied...):
		return firstOf(items, Rejected, Expired, Cancelled)
	}
	// From here on something was approved, and what was denied has no say.
	switch {
	case only(append([]string{Closed}, denied...)...):
		return Closed
	case has(Provisioning):
		return Provisioning
	case has(Approved):
		return Approved
	case has(Failed) && has(Fulfilled):
		return PartiallyFulfilled
	case has(Fulfilled):
		return Fulfilled
	case has(Failed):
		return Failed
	}
	return Scheduled
}

// firstOf is the first of these statuses that one of the items has.
func firstOf(items []string, order ...string) string {
	for _, s := range order {
		if slices.Contains(items, s) {
			return s
		}
	}
	return Submitted
}

// IsOpen reports whether the item waits for a decision.
func (i AccessRequestItem) IsOpen() bool { return slices.Contains(undecided, i.Status) }

// IsGranted reports whether the item was approved, whatever became of the access since.
func (i AccessRequestItem) IsGranted() bool {
	return !i.IsOpen() && !slices.Contains(denied, i.Status)
}

// IsLive reports whether the access of the item exists or is being provisioned.
func (i AccessRequestItem) IsLive() bool {
	return i.Kind == Grant && slices.Contains([]string{Approved, Scheduled, Provisioning, Fulfilled, Failed},
		i.Status) &&
		i.Fulfilment.State != "ending" &&
		i.Fulfilment.State != Closed
}

// HasEnd reports whether the access ends by itself.
func (i AccessRequestItem) HasEnd() bool { return i.EndsAt != nil || i.Duration != nil }

// IsVerified reports whether the target was seen to have the access.
func (i AccessRequestItem) IsVerified() bool { return i.Fulfilment.VerifiedAt != nil }

// Actions returns the actions that the state of the item allows.
func (i AccessRequestItem) Actions(urgency string) []string {
	can := []string{}
	if i.IsOpen() {
		can = append(can, "withdraw")
	}
	if i.Status == Pending {
		can = append(can, "decide", "reassign", "withdraw-approval")
	}
	if !i.IsLive() {
		return can
	}
	if !i.IsVerified() && i.Status != Failed && i.Plan.Outcome == "chain" && urgency == Normal {
		can = append(can, "withdraw-approval")
	}
	if i.HasEnd() && urgency == Normal {
		can = append(can, "extend")
	}
	return append(can, "return")
}

// allow fills in what can be done with the request and its items.
func (r *AccessRequest) allow() {
	r.Allowed = []string{}
	for i := range r.Items {
		r.Items[i].Allowed = r.Items[i].Actions(r.Urgency)
		for _, can := range r.Items[i].Allowed {
			if can == "withdraw" {
				can = "cancel"
			}
			if can != "reassign" && !slices.Contains(r.Allowed, can) {
				r.Allowed = append(r.Allowed, can)
			}
		}
	}
}

// InvalidTransition is the fault of an action that the status does not allow. allowed are those that it does.
func InvalidTransition(what string, allowed []string) *fault.Fault {
	return fault.Coded(fault.Conflict, "invalid_transition", "%s", what).Also("allowed", allowed)
}
