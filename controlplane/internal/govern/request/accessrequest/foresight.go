package accessrequest

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// AccessRequestForesight is what would become of a request.
type AccessRequestForesight struct {
	Items      []ForeseenItem `json:"items" nullable:"false"`
	ExpectedAt *time.Time     `json:"expected_at" doc:"The time by which all approvers should have answered, if each uses all of their time. Null: no approval is needed."`
}

// ForeseenItem is what would become of one thing.
type ForeseenItem struct {
	ItemID        string            `json:"item_id,omitempty" doc:"Once it was submitted."`
	RoleID        string            `json:"role_id,omitempty"`
	EntitlementID string            `json:"entitlement_id,omitempty"`
	Display       string            `json:"display"`
	Rule          AccessRequestRule `json:"rule"`
	Reason        string            `json:"reason,omitempty" doc:"Of an automatic outcome."`
	Stages        []ForeseenStage   `json:"stages" nullable:"false"`
	Blocked       bool              `json:"blocked" doc:"No approver can be asked at present. Administrators would be notified."`
	ExpectedAt    *time.Time        `json:"expected_at"`
	Duration      string            `json:"duration,omitempty" doc:"How long it would last, where that is limited."`
	StartsAt      *time.Time        `json:"starts_at"`
	EndsAt        *time.Time        `json:"ends_at"`
	Limits        []string          `json:"limits_applied" nullable:"false"`
	RespondWithin string            `json:"request_ttl,omitempty" doc:"How long it may stay unanswered."`
	EmergencyOpen bool              `json:"emergency_allowed" doc:"It can be had at once, with urgency emergency."`
	AlreadyHeld   *HeldAlready      `json:"already_held"`
	DuplicateOf   *AskedAlready     `json:"duplicate_of"`
}

// HeldAlready says that somebody has a thing.
type HeldAlready struct {
	Until *time.Time `json:"until" doc:"Null: without an end."`
	By    string     `json:"by" doc:"How they come to have it."`
}

// AskedAlready is a request that asks for the same.
type AskedAlready struct {
	RequestID string `json:"request_id"`
	Number    string `json:"number"`
	Status    string `json:"status"`
}

// ForeseenStage is a step of a chain, with the people who would be asked.
type ForeseenStage struct {
	Name      string          `json:"name"`
	Groups    []ForeseenGroup `json:"groups" nullable:"false" doc:"All of them must agree."`
	DueAt     *time.Time      `json:"due_at"`
	Satisfied string          `json:"satisfied,omitempty" doc:"Why no approval is needed."`
}

// ForeseenGroup are people of whom so many must agree.
type ForeseenGroup struct {
	Needed    int                `json:"needed"`
	Approvers []ForeseenApprover `json:"approvers" nullable:"false"`

	Unavailable []approval.PlanAbsent `json:"unavailable" nullable:"false" doc:"People whom the rule names and who cannot decide at present."`
}

// ForeseenApprover is somebody who would be asked.
type ForeseenApprover struct {
	IdentityID string `json:"identity_id,omitempty"`
	Role       string `json:"role,omitempty" doc:"Everyone with this role of the tenant."`
	Display    string `json:"display"`
	Via        string `json:"via" example:"direct" doc:"direct, delegate, fallback."`
	ActingFor  string `json:"acting_for,omitempty"`
	Because    string `json:"because"`
	Fallback   bool   `json:"fallback" doc:"Asked because no other approver was found."`
	Agreed     bool   `json:"agreed_by_requesting" doc:"The requester is this manager. The step counts as agreed, and no one is asked."`
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
