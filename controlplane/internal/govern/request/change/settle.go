package change

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
)

// settle brings a request in line with its items.
func (b *Set) settle(r *accessrequest.AccessRequest) {
	statuses := make([]string, len(r.Items))
	waiting, granted := false, false
	for i, item := range r.Items {
		statuses[i] = item.Status
		waiting, granted = waiting || item.IsOpen(), granted || item.IsGranted()
	}
	before := r.Status
	r.Status = accessrequest.StatusOf(statuses)
	if !waiting {
		b.recordOutcome(r, granted)
	}
	if r.Status != before {
		r.SetTimes(b.Now)
	}
	r.UpdatedAt, r.Version = b.Now, r.Version+1
}

// recordOutcome notes the outcome of a request of which everything is decided, once.
func (b *Set) recordOutcome(r *accessrequest.AccessRequest, granted bool) {
	if r.Told != "" {
		return
	}
	switch {
	case granted:
		r.Told, r.ApprovedAt, r.ReasonCode = "approved", &b.Now, nil
		b.news = append(b.news, Event{event.RequestApproved, r})
		b.Audit(r, accessrequest.AuditApproved, nil, "")
	case r.Status == accessrequest.Rejected || r.Status == accessrequest.Expired:
		code := r.RejectionCode()
		r.Told, r.RejectedAt, r.ReasonCode = "rejected", &b.Now, &code
		b.news = append(b.news, Event{event.RequestRejected, r})
		b.Audit(r, accessrequest.AuditRejected, nil, r.RejectionReason())
	case r.Status == accessrequest.Cancelled:
		code := accessrequest.Cancelled
		r.ReasonCode = &code
	}
}
