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
}

// Service carries out chains. All exported fields are needed but CheckApproval and Approvers.
type Service struct {
	DB      *pg.DB
	Log     *slog.Logger
	Now     func() time.Time
	Decided func(ctx context.Context, tx *pg.Tx, outcomes []Outcome) error // is rung in the transaction that decides
	// CheckApproval returns the faults of items that must not be approved now, by item. It locks what the answer
	// depends on until the transaction ends. Nil: every item may be approved.
	CheckApproval func(ctx context.Context, tx *pg.Tx, items []string) (map[string]error, error)
	// Approvers are those of the approval rules when it is nil.
	Approvers Approvers
}

// Answers are the kinds of task that chains ask, with who is told of their decisions.
func (s *Service) Answers() map[string]decision.Answer {
	return map[string]decision.Answer{Kind: s.Answer, KindBlocked: s.AnswerBlocked, KindWait: s.AnswerWait}
}
