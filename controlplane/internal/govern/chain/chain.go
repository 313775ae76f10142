package chain

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Kinds of the tasks that chains ask.
const (
	Kind        = "request_approval"
	KindBlocked = "request_blocked" // nobody can be asked: administrators are told
	KindWait    = "external_wait"   // a stage waits for somebody, or another system, to let it go on
)

// usualTime is how long an item waits for answers when nobody says otherwise.
const usualTime = 14 * 24 * time.Hour

// Matter is one item of a request that people must agree to.
type Matter struct {
	ItemID    string
	RequestID string
	Number    string // of the request, for people
	Subject   approval.Subject
	Plan      approval.Plan
	What      decision.Ref // the role or entitlement
	Who       decision.Ref // the beneficiary
	// who asked, as a user or token: an administrator who is no identity must not approve either
	RequestedBy decision.Actor
	Context     map[string]any // what approvers are shown
	RiskLevel   string
	ExpiresAt   time.Time // when it ends unanswered
}

// Results of a chain.
const (
	Approved  = "approved"
	Rejected  = "rejected"
	Expired   = "expired"
	Blocked   = "blocked"   // nobody can be asked; an administrator's task says so
	Unblocked = "unblocked" // somebody can, again
	Reopened  = "reopened"  // an approval was withdrawn in time
)

// Outcome is what became of an item.
type Outcome struct {
	ItemID     string
	Result     string
	ReasonCode string           // rejected, expired, rejected_by_rule, …
	Reason     string           // in the words of who decided, or ours
	By         []decision.Actor // who answered
	StartsAt   *time.Time       // where an approver changed it
	EndsAt     *time.Time

	ByRequesting []decision.Actor // whose request was their agreement, as the manager of whom it is for
}

// Service carries out chains. All exported fields are needed but Approvers.
type Service struct {
	DB      *pg.DB
	Log     *slog.Logger
	Now     func() time.Time
	Decided func(ctx context.Context, tx *pg.Tx, outcomes []Outcome) error // is rung in the transaction that decides
	// Approvers are those of the approval rules when it is nil.
	Approvers Approvers
}

// Answers are the kinds of task that chains ask, with who is told of their decisions.
func (s *Service) Answers() map[string]decision.Answer {
	return map[string]decision.Answer{Kind: s.Answer, KindBlocked: s.AnswerBlocked, KindWait: s.AnswerWait}
}

// StageInstance is a stage as it went.
type StageInstance struct {
	Index       int              `json:"index"`
	Name        string           `json:"name"`
	State       string           `json:"state" enum:"waiting,open,approved,rejected,skipped,expired,cancelled"`
	Groups      []GroupInstance  `json:"groups" nullable:"false"`
	OpenedAt    *time.Time       `json:"opened_at"`
	DueAt       *time.Time       `json:"due_at"`
	ClosedAt    *time.Time       `json:"closed_at"`
	WaitsFor    string           `json:"waits_for,omitempty" doc:"In words, while it waits."`
	Escalations []EscalationDone `json:"escalations" nullable:"false"`
	Log         []LogEntry       `json:"resolution_log" nullable:"false"`
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

	AgreedByRequesting bool `json:"agreed_by_requesting" doc:"A manager who asks for one of their reports: the request is their own agreement."`
}

// EscalationDone is an escalation that happened.
type EscalationDone struct {
	At     time.Time `json:"at"`
	Action string    `json:"action"`
	To     []string  `json:"to" nullable:"false"`
}

// LogEntry is one step of a stage.
type LogEntry struct {
	At     time.Time `json:"at"`
	Step   string    `json:"step"`
	Detail string    `json:"detail"`
}
