package accessrequest

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// AccessRequestForesight is what would become of a request.
type AccessRequestForesight struct {
	Items []ForeseenItem `json:"items" nullable:"false"`
	// The time by which all approvers should have answered, if each uses all of their time. Null: no approval is
	// needed.
	ExpectedAt *time.Time `json:"expected_at"`
}

// ForeseenItem is what would become of one thing.
type ForeseenItem struct {
	// Once it was submitted.
	ItemID        string            `json:"item_id,omitempty"`
	RoleID        string            `json:"role_id,omitempty"`
	EntitlementID string            `json:"entitlement_id,omitempty"`
	Display       string            `json:"display"`
	Rule          AccessRequestRule `json:"rule"`
	// Of an automatic outcome.
	Reason string          `json:"reason,omitempty"`
	Stages []ForeseenStage `json:"stages" nullable:"false"`
	// No approver can be asked at present. Administrators would be notified.
	Blocked    bool       `json:"blocked"`
	ExpectedAt *time.Time `json:"expected_at"`
	// How long it would last, where that is limited.
	Duration string     `json:"duration,omitempty"`
	StartsAt *time.Time `json:"starts_at"`
	EndsAt   *time.Time `json:"ends_at"`
	Limits   []string   `json:"limits_applied" nullable:"false"`
	// How long it may stay unanswered.
	RespondWithin string `json:"request_ttl,omitempty"`
	// It can be had at once, with urgency emergency.
	EmergencyOpen bool          `json:"emergency_allowed"`
	AlreadyHeld   *HeldAlready  `json:"already_held"`
	DuplicateOf   *AskedAlready `json:"duplicate_of"`
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
	RequestID string `json:"request_id"`
	Number    string `json:"number"`
	Status    string `json:"status"`
}

// ForeseenStage is a step of a chain, with the people who would be asked.
type ForeseenStage struct {
	Name string `json:"name"`
	// All of them must agree.
	Groups []ForeseenGroup `json:"groups" nullable:"false"`
	DueAt  *time.Time      `json:"due_at"`
	// Why no approval is needed.
	Satisfied string `json:"satisfied,omitempty"`
}

// ForeseenGroup are people of whom so many must agree.
type ForeseenGroup struct {
	Needed    int                `json:"needed"`
	Approvers []ForeseenApprover `json:"approvers" nullable:"false"`

	// People whom the rule names and who cannot decide at present.
	Unavailable []approval.PlanAbsent `json:"unavailable" nullable:"false"`
}

// ForeseenApprover is somebody who would be asked.
type ForeseenApprover struct {
	IdentityID string `json:"identity_id,omitempty"`
	// Everyone with this role of the tenant.
	Role    string `json:"role,omitempty"`
	Display string `json:"display"`
	// direct, delegate, fallback.
	Via       string `json:"via" example:"direct"`
	ActingFor string `json:"acting_for,omitempty"`
	Because   string `json:"because"`
	// Asked because no other approver was found.
	Fallback bool `json:"fallback"`
	// The requester is this manager. The step counts as agreed, and no one is asked.
	Agreed bool `json:"agreed_by_requesting"`
}

// ForeseeStage returns a planned stage as a preview shows it.
func ForeseeStage(s approval.PlanStage) ForeseenStage {
	out := ForeseenStage{Name: s.Definition.Name, Groups: []ForeseenGroup{}, DueAt: s.DueAt, Satisfied: s.Satisfied}
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
