package mitigation

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// Mitigation is a control that is applied to a violation.
type Mitigation struct {
	// ID of the mitigation.
	ID string `json:"id" db:"id"`
	// Control that is applied.
	Control MitigationReference `json:"mitigation_policy" db:"control"`
	// Person whose violation is mitigated.
	Identity identity.Reference `json:"identity" db:"identity"`
	// Separation-of-duties policy that is violated.
	Policy MitigationReference `json:"policy" db:"policy"`
	// Sides of a violation of a policy of the kind matrix. Empty: all violations of the policy by the person.
	Sides string `json:"-" db:"sides"`
	// ID of the violation that the control was applied to. Null: an access request proposed it.
	ViolationID *string `json:"violation_id" db:"violation_id"`
	// ID of the access request that proposed it. Null: it was proposed for a violation.
	RequestID *string `json:"access_request_id" db:"request_id"`
	// State of the mitigation. The violation is mitigated while it is active, evidence_due or evidence_overdue.
	// evidence_due: evidence is asked for. evidence_overdue: evidence is late. lapsed: evidence was not provided in
	// time, or the severity of the violation was raised. expired: the duration is over. replaced: another mitigation of
	// the same violation was approved. resolved: the violation was remediated.
	State State `json:"state" db:"state" enum:"proposed,active,evidence_due,evidence_overdue,lapsed,expired,withdrawn,refused,replaced,resolved"`
	// Severity of the violation when the control was applied. A higher severity reopens the violation.
	Severity string `json:"severity" db:"severity" enum:"low,medium,high,critical"`
	// Person who carries the control out and provides evidence.
	Owner identity.Reference `json:"owner" db:"owner"`
	// Why the violation is acceptable for the time.
	Justification string `json:"justification" db:"justification"`
	// ISO 8601 duration from the approval to the end.
	Duration string `json:"duration" db:"duration"`
	// User or service token that proposed the mitigation.
	RequestedBy decision.Actor `json:"requested_by" db:"requested_by"`
	// Time it was proposed.
	RequestedAt time.Time `json:"requested_at" db:"requested_at"`
	// User or service token that approved or refused it. Null: it was not decided.
	DecidedBy *decision.Actor `json:"decided_by" db:"decided_by"`
	// Time of the decision. Null: it was not decided.
	DecidedAt *time.Time `json:"decided_at" db:"decided_at"`
	// Comment on the decision. Empty if there is none.
	DecidedReason string `json:"decision_comment" db:"decided_reason"`
	// Time from which the violation is mitigated. Null: it was not approved.
	StartsAt *time.Time `json:"starts_at" db:"starts_at"`
	// Time at which the mitigation ends at the latest. Null: it was not approved.
	EndsAt *time.Time `json:"ends_at" db:"ends_at"`
	// Time at which evidence is due next. Null: none is due.
	DueAt *time.Time `json:"next_evidence_due_at" db:"due_at"`
	// Time at which the mitigation lapses if evidence is not provided before. Null: no evidence is due.
	LapsesAt *time.Time `json:"lapses_at" db:"lapses_at"`
	// Time at which it ended or was refused. Null: it has not.
	EndedAt *time.Time `json:"ended_at" db:"ended_at"`
	// Why it ended. Null: it has not ended.
	EndedReason *string `json:"ended_reason" db:"ended_reason" enum:"evidence_missed,severity_raised,expired,withdrawn,refused,replaced,resolved"`
	// Time at which the owner was reminded of the evidence that is due next. Null: not yet.
	RemindedAt *time.Time `json:"evidence_reminded_at" db:"reminded_at"`
	// Time at which people were told that it ends soon. Null: not yet.
	EndToldAt *time.Time `json:"end_announced_at" db:"end_told_at"`
	// Time of the decision that it ends without a renewal. Null: there is none.
	EndAgreedAt *time.Time `json:"end_agreed_at" db:"end_agreed_at"`
	// What was done about the violation when the mitigation lapsed or expired, see on_lapse of the control. Null: it
	// has not, or another mitigation covers the violation.
	LapseEffect *Effect `json:"lapse_effect" db:"lapse_effect" enum:"reopened,revoked,escalated"`
	// ID of the mitigation that it renews. Null: none.
	RenewalOfID *string `json:"renewal_of_id" db:"renewal_of_id"`
	// Time the record last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the mitigation, for If-Match.
	Version int `json:"version" db:"version"`
}

// MitigationReference names a control or a policy.
type MitigationReference struct {
	// ID of the object.
	ID string `json:"id"`
	// Display name of the object.
	Display string `json:"display"`
}

// AuditSubject is the mitigation in audit events.
func (m Mitigation) AuditSubject() audit.Subject {
	return audit.Subject{Type: "mitigation", ID: m.ID, Display: m.Control.Display}
}

// AuditObjects are what a mitigation is about, in audit events.
func (m Mitigation) AuditObjects() []audit.Subject {
	list := []audit.Subject{
		{Type: "identity", ID: m.Identity.ID, Display: m.Identity.Display},
		{Type: "separation_policy", ID: m.Policy.ID, Display: m.Policy.Display},
		{Type: "mitigating_control", ID: m.Control.ID, Display: m.Control.Display},
	}
	if m.ViolationID != nil {
		list = append(list, audit.Subject{Type: "violation", ID: *m.ViolationID, Display: m.Policy.Display})
	}
	return list
}
