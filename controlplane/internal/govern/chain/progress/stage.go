package progress

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
)

// StageInstance is a stage as it went.
type StageInstance struct {
	Index    int             `json:"index"`
	Name     string          `json:"name"`
	State    string          `json:"state" enum:"waiting,open,approved,rejected,skipped,expired,cancelled"`
	Groups   []GroupInstance `json:"groups" nullable:"false"`
	OpenedAt *time.Time      `json:"opened_at"`
	DueAt    *time.Time      `json:"due_at"`
	ClosedAt *time.Time      `json:"closed_at"`
	// In words, while it waits.
	WaitsFor    string                 `json:"waits_for,omitempty"`
	Escalations []state.EscalationDone `json:"escalations" nullable:"false"`
	Log         []state.LogEntry       `json:"resolution_log" nullable:"false"`
}

// GroupInstance counts who agreed.
type GroupInstance struct {
	Needed   int            `json:"needed"`
	Approved int            `json:"approved"`
	Rejected int            `json:"rejected"`
	Slots    []SlotInstance `json:"slots" nullable:"false"`
}

// SlotInstance is somebody who was asked.
type SlotInstance struct {
	IdentityID *string    `json:"identity_id"`
	Role       string     `json:"role,omitempty"`
	Display    string     `json:"display"`
	Via        string     `json:"via" enum:"direct,delegate,fallback,escalation,reassigned"`
	ActingFor  *string    `json:"acting_for"`
	TaskID     *string    `json:"task_id"`
	State      string     `json:"state" enum:"open,approved,rejected,superseded"`
	DecidedAt  *time.Time `json:"decided_at"`
	DecidedBy  string     `json:"decided_by,omitempty"`
	Comment    string     `json:"comment,omitempty"`

	// A manager who asks for one of their reports: the request is their own agreement.
	AgreedByRequesting bool `json:"agreed_by_requesting"`
}
