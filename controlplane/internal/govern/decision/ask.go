package decision

import (
	"context"
	"errors"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Ref names something of the product.
type Ref struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Display string `json:"display,omitempty"`
}

// Ways in which somebody came to be asked.
const (
	Direct     = "direct"
	Delegate   = "delegate"
	Fallback   = "fallback"
	Escalation = "escalation"
	Reassigned = "reassigned"
)

// Assignee is a person who may decide a task.
type Assignee struct {
	IdentityID string  `json:"identity_id"`
	Via        string  `json:"via"`                  // Direct when empty
	ActingFor  *string `json:"acting_for,omitempty"` // of a delegate: for whom
}

// Action is one answer that a task takes.
type Action struct {
	Key      string   `json:"key" example:"approve"`
	Label    string   `json:"label"`
	Style    string   `json:"style" enum:"positive,negative,neutral"`
	Requires []string `json:"requires" nullable:"false" doc:"Members of a decision that must be there: comment, or inputs.<name>."`
}

// New is a question.
type New struct {
	ID          string // made when empty; who asks may choose it, to know it beforehand
	Kind        string
	Key         string // what is asked: of a kind one open task has it, and asking again brings that up to date
	Subject     Ref
	Source      Ref
	Title       string
	Summary     string
	Context     map[string]any
	Actions     []Action
	Assignees   []Assignee
	Roles       []string // whoever has one of these may decide too
	NotFor      []string // identities that never decide it
	Undelegable bool
	Fixed       bool     // not to be reassigned
	ReassignTo  []string // when not empty: to these people alone
	Priority    string   // normal when empty
	RiskLevel   string
	DueAt       *time.Time
	GroupKey    string
	Links       []Ref
}

// States of a task.
const (
	Open       = "open"
	Claimed    = "claimed"
	Decided    = "decided"
	Expired    = "expired"
	Cancelled  = "cancelled"
	Superseded = "superseded"
)

// Actor is who decided.
type Actor struct {
	Type       string  `json:"type" enum:"user,service,system"`
	ID         string  `json:"id"`
	IdentityID string  `json:"identity_id,omitempty"`
	Display    string  `json:"display"`
	ActingFor  *string `json:"acting_for,omitempty"`
}

// Decision is what somebody decided.
type Decision struct {
	Action  string         `json:"action"`
	Comment string         `json:"comment,omitempty"`
	Inputs  map[string]any `json:"inputs,omitempty"`
	By      Actor          `json:"by"`
	At      time.Time      `json:"at"`
	Channel string         `json:"channel" enum:"api,bulk,request"`
}

// Answered is a task with the decision about it.
type Answered struct {
	Task     DecisionTask
	Decision Decision
}

// Answer tells the room that asked what was decided about tasks of its kind, in the transaction that decides them. The first result
// has, for each, the fault for which it cannot be answered so, or nil; what is refused stays open. An error undoes everything.
type Answer func(ctx context.Context, tx *pg.Tx, answered []Answered) ([]error, error)

var errNotYet = errors.New("not built yet")

// Ask enters questions and gives the ids of their tasks, in the order of the questions. Delegations that are in force are applied.
func Ask(ctx context.Context, tx *pg.Tx, questions []New) ([]string, error) { return nil, errNotYet }

// Close ends the open tasks of a kind with these keys, which need no decision any more, and says how many. state is Expired, Cancelled or Superseded.
func Close(ctx context.Context, tx *pg.Tx, kind string, keys []string, state, why string) (int, error) {
	return 0, errNotYet
}

// Assign adds people to an open task and drops others, for its history with why (escalated, re-resolved, …).
func Assign(ctx context.Context, tx *pg.Tx, taskID string, add []Assignee, drop []string, why string) error {
	return errNotYet
}

// Remind notes in the history of an open task that its assignees were reminded.
func Remind(ctx context.Context, tx *pg.Tx, taskID, detail string) error { return errNotYet }

// Delegates gives, for each of these people who has delegated tasks of a kind at an instant, who decides for them: the end of the
// chain of delegations.
func Delegates(ctx context.Context, tx *pg.Tx, kind string, identityIDs []string, at time.Time) (map[string]string, error) {
	return nil, errNotYet
}

// Find reads a task, for whoever joins the transaction.
func Find(ctx context.Context, tx *pg.Tx, id string) (DecisionTask, error) {
	return DecisionTask{}, errNotYet
}

// Decide decides open tasks in the caller's transaction as its viewer, after every check of who may: for rooms that take decisions by
// paths of their own. The results are in the order of the ids.
func (s *Service) Decide(ctx context.Context, tx *pg.Tx, ids []string, d Decision) ([]error, error) {
	return nil, errNotYet
}

// DecisionTask is one thing that somebody has to decide.
type DecisionTask struct {
	ID      string         `json:"id" db:"id"`
	Kind    string         `json:"kind" db:"kind"`
	Key     string         `json:"-" db:"key"`
	Subject Ref            `json:"subject" db:"subject"`
	Source  Ref            `json:"source" db:"source"`
	State   string         `json:"state" db:"state"`
	Context map[string]any `json:"context" db:"context"`
}
