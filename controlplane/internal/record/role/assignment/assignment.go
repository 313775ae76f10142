package assignment

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/content"
)

// Assignment gives a person a role by a decision. What the role holds, now and later, they have a reason for each of,
// whose source is the assignment.
type Assignment struct {
	ID         string // made when empty
	RoleID     string
	IdentityID string
	Kind       string         // manual, request or emergency
	Reason     string         // in words
	RequestID  *string        // of a request
	Parameters map[string]any // of a parametric role
	Details    map[string]any // for the reasons: request_id, number, external_reference, approved_by, …
	StartsAt   time.Time      // zero: now
	EndsAt     *time.Time     // nil: never
}

// ByHand is the kind of an assignment that an administrator or owner has made. Those of requests and emergencies are
// the ledger's.
const ByHand = "manual"

// ReasonSource is the source_type of the reasons of assignments, whose source_id is the assignment; RuleSource that of
// the reasons which a role's own rule gives, whose source_id is the role.
const (
	ReasonSource = "role_assignment"
	RuleSource   = "role"
)

// ReasonKind is the kind of the reasons that an assignment of a kind gives.
func ReasonKind(kind string) string {
	if kind == ByHand {
		return ledger.Role
	}
	return kind
}

// Gives is the reason that an assignment is for one thing in its role.
func (a Assignment) Gives(e content.Entitlement) ledger.Reason {
	r := ledger.Reason{
		IdentityID:    a.IdentityID,
		ConnectorID:   e.ConnectorID,
		EntitlementID: &e.ID,
		RoleID:        &a.RoleID,
		Kind:          ReasonKind(a.Kind),
		SourceType:    ReasonSource,
		SourceID:      a.ID,
		StartsAt:      a.StartsAt,
		EndsAt:        a.EndsAt,
		Details:       a.Details,
	}
	if a.Reason != "" {
		r.Note = &a.Reason
	}
	return r
}
