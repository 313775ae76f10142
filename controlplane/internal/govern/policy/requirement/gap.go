package requirement

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/constraint"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// RequirementGap is what one person lacks that one access policy requires of them.
type RequirementGap struct {
	// ID of the requirement gap.
	ID string `json:"id" db:"id"`
	// State of the gap. open: it needs a decision, or what is missing. exempted: it was accepted for a limited time.
	// closed: the person lacks nothing any more, or the policy no longer requires anything of them.
	State State `json:"state" db:"state" enum:"open,exempted,closed"`
	// Person who lacks something.
	Identity identity.Reference `json:"identity" db:"identity"`
	// Access policy that requires it.
	Policy identity.Reference `json:"policy" db:"policy"`
	// Version of the policy at the last evaluation that changed the gap.
	PolicyVersion int `json:"policy_version" db:"policy_version"`
	// What the person lacks. Of a closed gap: what they lacked last.
	Missing []constraint.MissingItem `json:"missing" db:"missing" nullable:"false"`
	// Time the gap was first found.
	OpenedAt time.Time `json:"opened_at" db:"opened_at"`
	// Time it was last found again after it was closed or exempted. Null: never.
	ReopenedAt *time.Time `json:"reopened_at" db:"reopened_at"`
	// Time it was closed. Null unless the state is closed.
	ClosedAt *time.Time `json:"closed_at" db:"closed_at"`
	// Why it was closed: the person has everything, or the policy no longer applies to them. Null unless the state is
	// closed.
	Resolution *string `json:"resolution" db:"resolution" enum:"satisfied,not_required"`
	// The exemption. Null unless the state is exempted.
	Exemption *GapExemption `json:"exemption" db:"exemption"`
	// Time the record last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the gap, for If-Match.
	Version int `json:"version" db:"version"`
}

// GapExemption accepts a requirement gap for a limited time.
type GapExemption struct {
	// Reason for the exemption.
	Reason string `json:"reason"`
	// Who granted it.
	By decision.Actor `json:"by"`
	// Time it was granted.
	At time.Time `json:"at"`
	// Time it ends. The gap is then open again, unless nothing is missing.
	Until time.Time `json:"until"`
}

// NewGapExemption is what is sent to exempt a person.
type NewGapExemption struct {
	// Reason for the exemption.
	Reason string `json:"reason" minLength:"1" maxLength:"2000"`
	// End of the exemption, in the future.
	Until time.Time `json:"until" format:"date-time"`
}

// subject is the gap in audit events.
func subject(id, policy string) audit.Subject {
	return audit.Subject{Type: "requirement_gap", ID: id, Display: policy}
}

// objects are the person and the policy in audit events.
func objects(identity, policy string) []audit.Subject {
	return []audit.Subject{{Type: "identity", ID: identity}, {Type: "policy", ID: policy}}
}
