package chain

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/question"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Kinds of the tasks that chains ask.
const (
	Kind        = question.KindApproval
	KindBlocked = question.KindBlocked // nobody can be asked: administrators are told
	KindWait    = question.KindWait    // a stage waits for somebody, or another system, to let it go on
)

// usualTime is how long an item waits for answers when nobody says otherwise.
const usualTime = 14 * 24 * time.Hour

// Item is one item of a request that people must agree to.
type Item struct {
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
	Approved  = state.StateApproved
	Rejected  = state.StateRejected
	Expired   = state.StateExpired
	Blocked   = state.StateBlocked // nobody can be asked; an administrator's task says so
	Unblocked = "unblocked"        // somebody can, again
	Reopened  = "reopened"         // an approval was withdrawn in time
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

	Exceptions []state.Exception // those that approvers have allowed
}

// ToApprove is an item that is about to be approved in one of its stages.
type ToApprove struct {
	ItemID string
	// Exceptions are those that stages of the item ask for, decided or not.
	Exceptions []approval.StageException
}

// Check is the answer about an item that is about to be approved.
type Check struct {
	// Refused is the fault of an item that must not be approved. Nil: it may be.
	Refused error
	// Rules are exception rules whose stages the item needs as well.
	Rules []ExceptionRule
}

// ExceptionRule is a resolved exception rule with the violations that its approvers allow.
type ExceptionRule struct {
	Plan approval.Plan
	Of   []approval.StageException
}

// Service carries out chains. All exported fields are needed but CheckApproval and Approvers.
type Service struct {
	DB      *pg.DB
	Log     *slog.Logger
	Now     func() time.Time
	Decided func(ctx context.Context, tx *pg.Tx, outcomes []Outcome) error // is rung in the transaction that decides
	// CheckApproval says of items whether they may be approved now, by item; one that is left out may be. It locks what
	// the answer depends on until the transaction ends. Nil: every item may be approved.
	CheckApproval func(ctx context.Context, tx *pg.Tx, items []ToApprove) (map[string]Check, error)
	// Approvers are those of the approval rules when it is nil.
	Approvers Approvers
}

// Answers are the kinds of task that chains ask, with who is told of their decisions.
func (s *Service) Answers() map[string]decision.Answer {
	return map[string]decision.Answer{Kind: s.Answer, KindBlocked: s.AnswerBlocked, KindWait: s.AnswerWait}
}
