package violation

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// Violation is a violation of a separation-of-duties policy by one person.
type Violation struct {
	// ID of the violation.
	ID string `json:"id" db:"id"`
	// State of the violation. open: it needs a decision. mitigated: a mitigating control covers it for a limited time.
	// false_positive: it was marked, for this version of the policy and this access. remediated: the last evaluation no
	// longer found it.
	State State `json:"state" db:"state" enum:"open,mitigated,false_positive,remediated"`
	// Person who violates the policy.
	Identity identity.Reference `json:"identity" db:"identity"`
	// Severity of the policy at the last evaluation.
	Severity string `json:"severity" db:"severity" enum:"low,medium,high,critical"`
	// How much of the violation is fact, see conflict.
	Grade string `json:"grade" db:"grade" enum:"latent,potential,exercised_one,exercised_both,inside_role"`
	// The policy, its sides with the access that performs them, and the smallest cures, as the last evaluation found
	// them.
	Conflict check.SeparationConflict `json:"conflict" db:"conflict"`
	// True if you own some of the entitlements only: other access and the cures are omitted.
	Partial bool `json:"partial" db:"-"`
	// Person who takes care of the violation. Null: no one was assigned.
	Assignee *identity.Reference `json:"assignee" db:"assignee"`
	// What found the violation: change, the evaluation of a person whose access changed, or scan.
	DetectedBy string `json:"detected_by" db:"detected_by" enum:"change,scan"`
	// Time the violation was first found.
	FirstSeenAt time.Time `json:"first_seen_at" db:"first_seen_at"`
	// Time an evaluation last found it. It is updated at most every 12 hours while nothing changes.
	LastSeenAt time.Time `json:"last_seen_at" db:"last_seen_at"`
	// Time an evaluation no longer found it. Null unless the state is remediated.
	RemediatedAt *time.Time `json:"remediated_at" db:"remediated_at"`
	// Why it is no longer found: the access was removed, or the policy was changed, disabled or deleted. Null unless
	// the state is remediated.
	Resolution *string `json:"resolution" db:"resolution" enum:"access_removed,policy_changed"`
	// Time it was last found again after it was settled. Null: never.
	ReopenedAt *time.Time `json:"reopened_at" db:"reopened_at"`
	// Number of times it was found again after it was settled.
	ReopenedCount int `json:"reopened_count" db:"reopened_count"`
	// The mark as false positive. Null unless the state is false_positive.
	FalsePositive *FalsePositiveMark `json:"false_positive" db:"false_positive"`
	// Mitigation that covers the violation or is proposed, or else the last one. Null: there was none.
	Mitigation *AppliedMitigation `json:"mitigation" db:"mitigation"`
	// Exception of the violation that approvers allowed with an access request, while the access lasts. Null: none.
	Exception *ApprovedException `json:"exception" db:"exception"`
	// Last revocation that was ordered to end the violation. Null: none.
	Remediation *OrderedRemediation `json:"remediation" db:"remediation"`
	// What a policy with the effect revoke_lower_risk did automatically. Null: nothing since the violation was found.
	Automatic *AutomaticRevocation `json:"automatic_revocation" db:"automatic_revocation"`
	// Time the record last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the violation, for If-Match.
	Version int `json:"version" db:"version"`
}

// AppliedMitigation is a mitigation of a violation.
type AppliedMitigation struct {
	// ID of the mitigation.
	ID string `json:"id"`
	// Name of the control.
	Control string `json:"control"`
	// State of the mitigation.
	State string `json:"state" enum:"proposed,active,evidence_due,evidence_overdue,lapsed,expired,withdrawn,refused,replaced,resolved"`
	// Time at which it ends at the latest. Null: it was not approved.
	EndsAt *time.Time `json:"ends_at"`
}

// ApprovedException is an exception that approvers allowed with an access request. It ends with the access.
type ApprovedException struct {
	// ID of the exception.
	ID string `json:"id"`
	// ID of the access request.
	RequestID string `json:"request_id"`
	// Number of the access request, such as REQ-000123.
	Number string `json:"number"`
	// Name of the approval rule whose approvers allowed it.
	Rule string `json:"rule"`
	// Who approved in the stages of the approval rule.
	ApprovedBy []decision.Actor `json:"approved_by" nullable:"false"`
	// Time of the approval.
	ApprovedAt time.Time `json:"approved_at"`
	// Justification of the request.
	Justification string `json:"justification"`
	// End of the access. Null: it is counted from when the target system has the access.
	EndsAt *time.Time `json:"ends_at"`
	// Whether it covers the violation. While it does, the violation has no decision task and no access is revoked
	// automatically. More access on a side, or a higher severity, is not covered.
	Covers bool `json:"covers"`
}

// FalsePositiveMark says why a violation is none.
type FalsePositiveMark struct {
	// Reason for the mark.
	Reason string `json:"reason"`
	// Who set the mark.
	By decision.Actor `json:"by"`
	// Time of the mark.
	At time.Time `json:"at"`
	// Version of the policy that the mark applies to.
	PolicyVersion int `json:"policy_version"`
	// Entitlements that the mark applies to. Further access that performs a side reopens the violation.
	EntitlementIDs []string `json:"entitlement_ids" nullable:"false"`
}

// OrderedRemediation is a revocation that was ordered to end a violation.
type OrderedRemediation struct {
	// Reason for the revocation.
	Reason string `json:"reason"`
	// Who ordered it.
	By decision.Actor `json:"by"`
	// Time of the order.
	At time.Time `json:"at"`
	// Access that is revoked.
	Removed []check.AccessSource `json:"removed" nullable:"false"`
}

// AuditSubject is the violation in audit events.
func (v Violation) AuditSubject() audit.Subject {
	return audit.Subject{Type: "violation", ID: v.ID, Display: v.Conflict.Policy.Name}
}

// AuditObjects are the person and the policy in audit events.
func (v Violation) AuditObjects() []audit.Subject {
	return []audit.Subject{
		{Type: "identity", ID: v.Identity.ID, Display: v.Identity.Display},
		{Type: "separation_policy", ID: v.Conflict.Policy.ID, Display: v.Conflict.Policy.Name},
	}
}

// restrict leaves out what is not about the owned entitlements.
func (v *Violation) restrict(owned map[string]bool) {
	v.Partial = true
	v.Conflict.Cures, v.Remediation, v.Mitigation, v.Automatic = []check.ConflictCure{}, nil, nil, nil
	v.Exception = nil
	for i := range v.Conflict.Sides {
		side := &v.Conflict.Sides[i]
		kept := []check.ConflictAccess{}
		for _, a := range side.Access {
			if !owned[a.Entitlement.ID] {
				continue
			}
			path := []check.ConflictEntitlement{}
			for _, step := range a.Path {
				if owned[step.ID] {
					path = append(path, step)
				}
			}
			if len(path) < len(a.Path) {
				a.Source = nil
			}
			a.Path = path
			kept = append(kept, a)
		}
		side.Access = kept
	}
	if v.FalsePositive != nil {
		mark := *v.FalsePositive
		mark.EntitlementIDs = []string{}
		v.FalsePositive = &mark
	}
}
