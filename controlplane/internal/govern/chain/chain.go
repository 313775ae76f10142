package chain

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Kind is the kind of the tasks that chains ask.
const Kind = "request_approval"

// Matter is one item of a request that people must agree to.
type Matter struct {
	ItemID    string
	RequestID string
	Number    string // of the request, for people
	Subject   approval.Subject
	Plan      approval.Plan
	What      decision.Ref   // the role or entitlement
	Who       decision.Ref   // the beneficiary
	Context   map[string]any // what approvers are shown
	RiskLevel string
	ExpiresAt time.Time // when it ends unanswered
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
	ReasonCode string // rejected, expired, rejected_by_rule, …
	Reason     string // in the words of who decided, or ours
	By         []decision.Actor
	StartsAt   *time.Time // where an approver changed it
	EndsAt     *time.Time
}

// Service carries out chains. All fields are needed.
type Service struct {
	DB      *pg.DB
	Log     *slog.Logger
	Now     func() time.Time
	Decided func(ctx context.Context, tx *pg.Tx, outcomes []Outcome) error // is rung in the transaction that decides
}

var errNotYet = errors.New("not built yet")

// Start begins the chains of items whose plan has the outcome chain. Where all stages are satisfied already, it rings at once, in the same transaction.
func (s *Service) Start(ctx context.Context, tx *pg.Tx, matters []Matter) error { return errNotYet }

// Cancel ends chains that need no answer any more, without ringing.
func Cancel(ctx context.Context, tx *pg.Tx, itemIDs []string, why string) error { return errNotYet }

// Answer is told of decisions about the tasks of chains.
func (s *Service) Answer(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
	return nil, errNotYet
}

// Withdraw takes the viewer's approval of an item back, within the time that the chain allows and before the access is provisioned.
func (s *Service) Withdraw(ctx context.Context, tx *pg.Tx, itemID string) error { return errNotYet }

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

// Stages reads the stages of items, in their order.
func Stages(ctx context.Context, tx *pg.Tx, itemIDs []string) (map[string][]StageInstance, error) {
	return nil, errNotYet
}

// Run reminds, escalates, expires, ends waits and resolves anew, until ctx ends.
func (s *Service) Run(ctx context.Context) error { <-ctx.Done(); return nil }
