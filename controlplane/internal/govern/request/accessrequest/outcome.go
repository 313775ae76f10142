package accessrequest

import (
	"time"
)

// SetTimes sets the time at which the request reached its status.
func (r *AccessRequest) SetTimes(now time.Time) {
	switch r.Status {
	case Fulfilled, PartiallyFulfilled:
		if r.FulfilledAt == nil {
			r.FulfilledAt = &now
		}
		r.ClosedAt = nil
	case Closed, Cancelled, Rejected, Expired:
		r.ClosedAt = &now
	}
}

// RejectionCode returns why the request ended without access.
func (r *AccessRequest) RejectionCode() string {
	if r.Status == Expired {
		return Expired
	}
	for _, i := range r.Items {
		if i.Status == Rejected && i.DecisionCode != nil {
			return *i.DecisionCode
		}
	}
	return Rejected
}

// RejectionReason returns the first reason that was given for a rejection.
func (r *AccessRequest) RejectionReason() string {
	for _, i := range r.Items {
		if i.DecisionReason != nil && !i.IsGranted() {
			return *i.DecisionReason
		}
	}
	return ""
}

// EscalateAt returns when administrators are asked too; nil if they are already, or if the review is done.
func (r *EmergencyReview) EscalateAt() *time.Time {
	if r == nil || r.State != "open" || r.Escalate {
		return nil
	}
	return &r.DueAt
}
