package request

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

// statusOf is the status of a request with items in these statuses.
func statusOf(items []string) string {
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

// open says whether the item waits for an answer.
func (i AccessRequestItem) open() bool { return slices.Contains(undecided, i.Status) }

// granted says whether the item was approved, whatever became of the access since.
func (i AccessRequestItem) granted() bool {
	return !i.open() && !slices.Contains(denied, i.Status)
}

// live says whether what the item gave is there, or on its way.
func (i AccessRequestItem) live() bool {
	return i.Kind == Grant && slices.Contains([]string{Approved, Scheduled, Provisioning, Fulfilled, Failed},
		i.Status) &&
		i.Fulfilment.State != "ending" &&
		i.Fulfilment.State != Closed
}

// bounded says whether the access ends by itself.
func (i AccessRequestItem) bounded() bool { return i.EndsAt != nil || i.Duration != nil }

// verified says whether the target was seen to have it.
func (i AccessRequestItem) verified() bool { return i.Fulfilment.VerifiedAt != nil }

// allowed are the things that can be done with an item as it stands.
func (i AccessRequestItem) allowed(urgency string) []string {
	can := []string{}
	if i.open() {
		can = append(can, "withdraw")
	}
	if i.Status == Pending {
		can = append(can, "decide", "reassign", "withdraw-approval")
	}
	if !i.live() {
		return can
	}
	if !i.verified() && i.Status != Failed && i.Plan.Outcome == "chain" && urgency == Normal {
		can = append(can, "withdraw-approval")
	}
	if i.bounded() && urgency == Normal {
		can = append(can, "extend")
	}
	return append(can, "return")
}

// allow fills in what can be done with the request and its items.
func (r *AccessRequest) allow() {
	r.Allowed = []string{}
	for i := range r.Items {
		r.Items[i].Allowed = r.Items[i].allowed(r.Urgency)
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

// cannot refuses what the status does not allow, and says what it does.
func cannot(what string, allowed []string) *fault.Fault {
	return fault.Coded(fault.Conflict, "invalid_transition", "%s", what).Also("allowed", allowed)
}
