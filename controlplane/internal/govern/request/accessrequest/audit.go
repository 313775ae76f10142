package accessrequest

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// What the audit log calls what happens to requests. That something expired, could be asked of nobody, or was taken
// back by its approver, chains record.
const (
	AuditSubmitted = "access_request.submitted"
	AuditApproved  = "access_request.approved"
	AuditRejected  = "access_request.rejected"
	AuditCancelled = "access_request.cancelled"
	AuditCommented = "access_request.commented"
	AuditEmergency = "access_request.emergency_granted"
	AuditReviewed  = "access_request.emergency_reviewed"
	AuditEscalated = "access_request.review_escalated"
	AuditExtended  = "access_request.extended"
	AuditReturned  = "access_request.returned"
	AuditFulfilled = "access_request.item_fulfilled"
	AuditFailed    = "access_request.item_failed"
	AuditClosed    = "access_request.item_closed"
	AuditExcepted  = "access_request.exception_approved"
	AuditReplayed  = "access_request.rule_replayed"
)

// ItemActions are the audit actions of decisions about items.
var ItemActions = map[string]string{
	Approved:  "access_request.item_approved",
	Rejected:  "access_request.item_rejected",
	Cancelled: "access_request.item_withdrawn",
}

// AuditEntry returns the audit entry of an action on the request, or on one of its items.
func (r *AccessRequest) AuditEntry(action string, item *AccessRequestItem, reason string) audit.Entry {
	e := audit.Entry{
		Action:  action,
		Subject: audit.Subject{Type: "access_request", ID: r.ID, Display: r.Number},
		Reason:  reason,
		Objects: []audit.Subject{{Type: "identity", ID: r.RequestedForIdentityID, Display: r.RequestedFor.Display}},
		Context: map[string]any{"kind": r.Kind, "urgency": r.Urgency, "status": r.Status},
	}
	if r.ExternalReference != nil {
		e.Context["external_reference"] = *r.ExternalReference
	}
	if r.ReasonCode != nil {
		e.Context["reason_code"] = *r.ReasonCode
	}
	for _, i := range r.Items {
		if item != nil && i.ID != item.ID {
			continue
		}
		subject := audit.Subject{Type: "role", Display: i.Display}
		if i.RoleID != nil {
			subject.ID = *i.RoleID
		} else if i.EntitlementID != nil {
			subject.Type, subject.ID = "entitlement", *i.EntitlementID
		}
		if !slices.Contains(e.Objects, subject) {
			e.Objects = append(e.Objects, subject)
		}
	}
	if item != nil {
		e.Context["item_id"] = item.ID
		if item.DecisionCode != nil {
			e.Context["decision_code"] = *item.DecisionCode
		}
	}
	return e
}
