package ledger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Kinds of reason. Access that a target shows and nothing here assigned has no reason in the ledger: it is native.
const (
	Birthright = "birthright" // a rule that fires when a person is created or changes
	Policy     = "policy"     // another rule
	Role       = "role"       // an assignment of a role
	Request    = "request"    // an approved request
	Emergency  = "emergency"  // for a short while, approved afterwards
	Certified  = "certified"  // a reviewer's decision
	Exception  = "exception"  // beside the rules, by decision
	Imported   = "imported"   // as it was found when the system was connected
	Manual     = "manual"     // an administrator's order
)

// Effects of a reason.
const (
	Allow = "allow"
	Deny  = "deny" // beats every allow of the same
)

// States of a reason.
const (
	Scheduled = "scheduled"
	Active    = "active"
	Ended     = "ended"
)

// Reason is why a person should hold an entitlement, or an account of a system without entitlements.
type Reason struct {
	ID            string // made when empty
	IdentityID    string
	ConnectorID   string
	EntitlementID *string // nil: an account of the system
	AccountID     *string // the account that it is for; nil: their main one of the system
	RoleID        *string // the role through which it comes
	Effect        string  // Allow when empty
	Kind          string
	SourceType    string // policy, role, request, user, pack, …
	SourceID      string
	SourceVersion int // of the policy or role; 1 when zero
	Note          *string
	State         string     // by StartsAt when empty
	StartsAt      time.Time  // zero: now
	EndsAt        *time.Time // nil: never
	EndedAt       *time.Time // when it ended; not written by Add
	EndReason     *string    // why it ended, or will; not written by Add
	Details       map[string]any
	CreatedAt     time.Time // not written by Add
}

// row is a reason as the statement reads it.
type row struct {
	// ID of the reason.
	ID string `json:"id"`
	// Person that the reason is for.
	IdentityID string `json:"identity_id"`
	// Connector of the account or entitlement.
	ConnectorID string `json:"connector_id"`
	// Entitlement that the reason grants or denies. Nil: an account of the system.
	EntitlementID *string `json:"entitlement_id"`
	// Account that the reason is for. Nil: the person's main account of the system.
	AccountID *string `json:"account_id"`
	// Role through which the reason came. Nil: no role.
	RoleID *string `json:"role_id"`
	// Effect of the reason: allow or deny.
	Effect string `json:"effect"`
	// Kind of reason, such as role or request.
	Kind string `json:"kind"`
	// Type of the object that caused the reason, such as policy or role.
	SourceType string `json:"source_type"`
	// ID of the object that caused the reason.
	SourceID string `json:"source_id"`
	// Version of the policy or role at that time.
	SourceVersion int `json:"source_version"`
	// Remark of the person who gave the reason.
	Note *string `json:"note"`
	// State at insertion: scheduled or active. Empty: by starts_at.
	State string `json:"state,omitempty"`
	// Beginning of the reason. Nil: now.
	StartsAt *time.Time `json:"starts_at"`
	// End of the reason. Nil: it has no end.
	EndsAt *time.Time `json:"ends_at"`
	// Further facts, as JSON. The shape depends on the kind.
	Details json.RawMessage `json:"details"`
}

// row is the reason with its defaults filled in, for the statement.
func (r Reason) row() (row, error) {
	out := row{
		r.ID,
		r.IdentityID,
		r.ConnectorID,
		r.EntitlementID,
		r.AccountID,
		r.RoleID,
		cmp.Or(r.Effect, Allow),
		r.Kind,
		r.SourceType,
		r.SourceID,
		cmp.Or(r.SourceVersion, 1),
		r.Note,
		r.State,
		nil,
		r.EndsAt,
		json.RawMessage(`{}`),
	}
	if out.ID == "" {
		out.ID = uuid.Must(uuid.NewV7()).String()
	}
	if !r.StartsAt.IsZero() {
		out.StartsAt = &r.StartsAt
	}
	if len(r.Details) > 0 {
		b, err := json.Marshal(r.Details)
		if err != nil {
			return out, fmt.Errorf("details of a reason: %w", err)
		}
		out.Details = b
	}
	return out, nil
}

// rows are the reasons in the order of their keys, each key once: transactions that add the same ones together lock
// them in the same order. Of several with one key the one that ends last stands.
func rows(reasons []Reason) ([]row, error) {
	all := make([]row, len(reasons))
	for i, r := range reasons {
		var err error
		if all[i], err = r.row(); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Or(a.compare(b), endsLast(a.EndsAt, b.EndsAt)) })
	return slices.CompactFunc(all, func(a, b row) bool { return a.compare(b) == 0 }), nil
}

// compare orders by the key of a live reason.
func (r row) compare(o row) int {
	return cmp.Or(
		cmp.Compare(r.IdentityID, o.IdentityID),
		cmp.Compare(r.ConnectorID, o.ConnectorID),
		absentFirst(
			r.EntitlementID,
			o.EntitlementID,
		),
		absentFirst(r.AccountID, o.AccountID),
		cmp.Compare(r.Effect, o.Effect),
		cmp.Compare(r.Kind, o.Kind),
		cmp.Compare(r.SourceID, o.SourceID),
		absentFirst(r.RoleID, o.RoleID),
	)
}

// absentFirst orders optional texts, those without a text first.
func absentFirst(a, b *string) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// endsLast orders by end, the latest first; no end is the latest.
func endsLast(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return b.Compare(*a)
}

// maker names who acts, for the record of a reason.
func maker(v viewer.Viewer) map[string]any {
	m := map[string]any{"type": string(v.Kind), "display": v.Display}
	if v.ID != "" {
		m["id"] = v.ID
	}
	return m
}
