package accessrequest

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// AccessRequestForesight is what would become of a request.
type AccessRequestForesight struct {
	// Expected result for each requested resource, in the order of the request.
	Items []ForeseenItem `json:"items" nullable:"false"`
	// The time by which all approvers should have answered, if each uses all of their time. Null: no approval is
	// needed.
	ExpectedAt *time.Time `json:"expected_at"`
}

// ForeseenItem is what would become of one thing.
type ForeseenItem struct {
	// Once it was submitted.
	ItemID string `json:"item_id,omitempty"`
	// ID of the requested role. Absent for an entitlement.
	RoleID string `json:"role_id,omitempty"`
	// ID of the requested entitlement. Absent for a role.
	EntitlementID string `json:"entitlement_id,omitempty"`
	// Display name of the requested role or entitlement.
	Display string `json:"display"`
	// Approval rule that applies.
	Rule AccessRequestRule `json:"rule"`
	// Of an automatic outcome.
	Reason string `json:"reason,omitempty"`
	// Approval stages in order. Empty if the outcome is automatic.
	Stages []ForeseenStage `json:"stages" nullable:"false"`
	// No approver can be asked at present. Administrators would be notified.
	Blocked bool `json:"blocked"`
	// Time by which the last stage is due, if all approvers use all of their time. Null: no approval is needed before
	// the access.
	ExpectedAt *time.Time `json:"expected_at"`
	// How long it would last, where that is limited.
	Duration string `json:"duration,omitempty"`
	// Start of the access. Null: as soon as it is approved.
	StartsAt *time.Time `json:"starts_at"`
	// End of the access. Null: it has no end, or duration limits it.
	EndsAt *time.Time `json:"ends_at"`
	// Limits on the duration of the access, in words.
	Limits []string `json:"limits_applied" nullable:"false"`
	// How long it may stay unanswered.
	RespondWithin string `json:"request_ttl,omitempty"`
	// It can be had at once, with urgency emergency.
	EmergencyOpen bool `json:"emergency_allowed"`
	// How the person has the access already. Null: they do not have it.
	AlreadyHeld *HeldAlready `json:"already_held"`
	// Open request for the same access. Null: there is none.
	DuplicateOf *AskedAlready `json:"duplicate_of"`
}

// HeldAlready says that somebody has a thing.
type HeldAlready struct {
	// Null: without an end.
	Until *time.Time `json:"until"`
	// How they come to have it.
	By string `json:"by"`
}

// AskedAlready is a request that asks for the same.
type AskedAlready struct {
	// ID of the open access request.
	RequestID string `json:"request_id"`
	// Number of the open access request, such as REQ-000123.
	Number string `json:"number"`
	// Status of the open request.
	Status string `json:"status"`
}

// ForeseenStage is a step of a chain, with the people who would be asked.
type ForeseenStage struct {
	// Display name of the stage.
	Name string `json:"name"`
	// All of them must agree.
	Groups []ForeseenGroup `json:"groups" nullable:"false"`
	// Time by which the stage is due, if all earlier stages use all of their time. Null: the stage needs no approval.
	DueAt *time.Time `json:"due_at"`
	// Why no approval is needed.
	Satisfied string `json:"satisfied,omitempty"`
	// Names of the separation-of-duties policies whose violation the approvers allow. Empty for all other stages.
	ExceptionPolicies []string `json:"exception_policies" nullable:"false"`
}

// ForeseenGroup are people of whom so many must agree.
type ForeseenGroup struct {
	// Number of approvals that the group needs.
	Needed int `json:"needed"`
	// Approvers of the group.
	Approvers []ForeseenApprover `json:"approvers" nullable:"false"`

	// People whom the rule names and who cannot decide at present.
	Unavailable []approval.PlanAbsent `json:"unavailable" nullable:"false"`
}

// ForeseenApprover is somebody who would be asked.
type ForeseenApprover struct {
	// ID of the identity of the approver. Absent if all users with a role are asked.
	IdentityID string `json:"identity_id,omitempty"`
	// Everyone with this role of the tenant.
	Role string `json:"role,omitempty"`
	// Name of the person, or of the users with the role.
	Display string `json:"display"`
	// How the approver was found: direct, delegate or fallback.
	Via string `json:"via" example:"direct"`
	// ID of the identity for whom a delegate decides. Absent for all others.
	ActingFor string `json:"acting_for,omitempty"`
	// Why this approver is asked, such as manager.
	Because string `json:"because"`
	// Asked because no other approver was found.
	Fallback bool `json:"fallback"`
	// The requester is this manager. The step counts as agreed, and no one is asked.
	Agreed bool `json:"agreed_by_requesting"`
}

// ForeseeStage returns a planned stage as a preview shows it.
func ForeseeStage(s approval.PlanStage) ForeseenStage {
	out := ForeseenStage{Name: s.Definition.Name, Groups: []ForeseenGroup{}, DueAt: s.DueAt, Satisfied: s.Satisfied,
		ExceptionPolicies: []string{}}
	for _, e := range s.Exceptions {
		out.ExceptionPolicies = append(out.ExceptionPolicies, e.Policy)
	}
	for _, g := range s.Groups {
		group := ForeseenGroup{
			Needed:      g.Needed,
			Approvers:   []ForeseenApprover{},
			Unavailable: slices.Concat([]approval.PlanAbsent{}, g.Unavailable),
		}
		for _, slot := range g.Slots {
			group.Approvers = append(
				group.Approvers,
				ForeseenApprover{
					IdentityID: slot.IdentityID,
					Role:       slot.Role,
					Display:    slot.Display,
					Via:        slot.Via,
					ActingFor:  slot.ActingFor,
					Because:    slot.Because,
					Fallback:   slot.Via == "fallback",
					Agreed:     slot.Agreed,
				},
			)
		}
		out.Groups = append(out.Groups, group)
	}
	return out
}
