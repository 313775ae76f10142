package state

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// Shown is what approvers are shown of an item, beside what is looked up when they are asked.
type Shown struct {
	What        decision.Ref   `json:"what"`
	Who         decision.Ref   `json:"who"`
	RequestedBy decision.Actor `json:"requested_by"`
	Context     map[string]any `json:"context,omitempty"`
	RiskLevel   string         `json:"risk_level,omitempty"`
}

// Flow is the chain of one item, as it is read, changed in memory and written back.
type Flow struct {
	ItemID    string           `db:"item_id"`
	RequestID string           `db:"request_id"`
	Number    string           `db:"number"`
	Subject   approval.Subject `db:"subject"`
	Plan      approval.Plan    `db:"plan"`
	Shown     Shown            `db:"shown"`
	State     string           `db:"state"`
	Stage     int              `db:"stage"` // the one that is open, or waits to be
	StartsAt  *time.Time       `db:"starts_at"`
	EndsAt    *time.Time       `db:"ends_at"`
	ExpiresAt time.Time        `db:"expires_at"`
	LookAt    time.Time        `db:"look_at"`
	Turned    bool             `db:"turned"`
	LeftTasks []string         `db:"left_tasks"`
	ClosedAt  *time.Time       `db:"closed_at"`

	Stages      []*Stage  `db:"-"`
	IsNew       bool      `db:"-"` // it is not in the table yet
	PlanChanged bool      `db:"-"` // the plan is another one: it has to be written
	TouchedAt   time.Time `db:"-"` // when it was changed last; written as updated_at
}

// Live says whether an answer is still waited for.
func (f *Flow) Live() bool { return f.State == Running || f.State == StateBlocked }

// Current is the stage that is open or waits to be; nil: there is none.
func (f *Flow) Current() *Stage {
	if f.Stage < len(f.Stages) {
		return f.Stages[f.Stage]
	}
	return nil
}

// Definition is how a stage is defined.
func (f *Flow) Definition(stage int) approval.ApprovalStage {
	if stage < len(f.Plan.Stages) {
		return f.Plan.Stages[stage].Definition
	}
	return approval.ApprovalStage{}
}

// Key is what a task of the chain asks. It names the task itself, so that no other is ever brought up to date by
// mistake: there is one for each slot because whoever holds the chain's row lock asks.
func (f *Flow) Key(stage int, taskID string) string {
	return fmt.Sprintf("%s:%d:%s", f.ItemID, stage, taskID)
}
