package progress

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
)

// StageInstance is a stage as it went.
type StageInstance struct {
	// Position of the approval step, starting at 0.
	Index int `json:"index"`
	// Name of the approval step in its approval rule.
	Name string `json:"name"`
	// State of the approval step. A waiting step has not opened yet. A skipped, expired or cancelled step ended without
	// an approval or a rejection.
	State string `json:"state" enum:"waiting,open,approved,rejected,skipped,expired,cancelled"`
	// Names of the separation-of-duties policies whose violation the approvers allow. Empty for all other steps.
	ExceptionPolicies []string `json:"exception_policies" nullable:"false"`
	// Groups of approvers. The step is approved when every group has the approvals that it needs.
	Groups []GroupInstance `json:"groups" nullable:"false"`
	// Time the approval step opened. Null if it has not opened.
	OpenedAt *time.Time `json:"opened_at"`
	// Time by which a decision is expected; of a waiting step, the planned time. Null if there is none.
	DueAt *time.Time `json:"due_at"`
	// Time the approval step ended. Null until then.
	ClosedAt *time.Time `json:"closed_at"`
	// In words, while it waits.
	WaitsFor string `json:"waits_for,omitempty"`
	// Escalations of the approval step so far, the oldest first.
	Escalations []state.EscalationDone `json:"escalations" nullable:"false"`
	// Log of the approval step, the oldest entry first.
	Log []state.LogEntry `json:"resolution_log" nullable:"false"`
}

// GroupInstance counts who agreed.
type GroupInstance struct {
	// Number of approvals that the group needs.
	Needed int `json:"needed"`
	// Number of approvals that the group has.
	Approved int `json:"approved"`
	// Number of rejections that the group has.
	Rejected int `json:"rejected"`
	// Approvers of the group, with their decisions. Of a waiting step, the expected approvers.
	Slots []SlotInstance `json:"slots" nullable:"false"`
}

// SlotInstance is somebody who was asked.
type SlotInstance struct {
	// ID of the identity of the approver. Null if all users with a role can decide.
	IdentityID *string `json:"identity_id"`
	// Role whose users can decide, such as admin. Absent if one person is the approver.
	Role string `json:"role,omitempty"`
	// Display name of the approver, or of the users with the role.
	Display string `json:"display"`
	// How the approver was chosen: direct by the approval rule, fallback if there was no other approver. The other
	// values mean by delegation, escalation or reassignment.
	Via string `json:"via" enum:"direct,delegate,fallback,escalation,reassigned"`
	// ID of the identity that a delegate represents, or whose decision task was reassigned. Null otherwise.
	ActingFor *string `json:"acting_for"`
	// ID of the decision task. Null if there is none, such as in a waiting step.
	TaskID *string `json:"task_id"`
	// Decision of the approver. open: no decision yet; superseded: no decision of this approver is needed any longer.
	State string `json:"state" enum:"open,approved,rejected,superseded"`
	// Time of the decision. Null if there is none.
	DecidedAt *time.Time `json:"decided_at"`
	// Display name of the person who decided. Absent if there is no decision.
	DecidedBy string `json:"decided_by,omitempty"`
	// Comment of the decision. Absent if there is none.
	Comment string `json:"comment,omitempty"`

	// A manager who asks for one of their reports: the request is their own agreement.
	AgreedByRequesting bool `json:"agreed_by_requesting"`
}
