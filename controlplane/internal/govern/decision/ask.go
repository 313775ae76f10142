package decision

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Ref is DecisionRef for those who ask.
type Ref = DecisionRef

// DecisionRef names something of the product.
type DecisionRef struct {
	// Type of the object, such as identity, access_request or connector.
	Type string `json:"type"`
	// ID of the object.
	ID string `json:"id"`
	// Display name of the object. Absent if it has none.
	Display string `json:"display,omitempty"`
}

// Ways in which a person came to be asked.
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

// Action is DecisionAction for those who ask.
type Action = DecisionAction

// DecisionAction is one answer that a task takes.
type DecisionAction struct {
	// Key of the action, for the action of a decision.
	Key string `json:"key" example:"approve"`
	// Label of the action, for a button.
	Label string `json:"label"`
	// Style of the button. positive: the action agrees, such as approve. negative: it refuses or removes, such as
	// reject. neutral: neither.
	Style string `json:"style" enum:"positive,negative,neutral"`
	// Members of a decision that must be there: comment, or inputs.<name>.
	Requires []string `json:"requires" nullable:"false"`
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
	Roles       []string // people with one of these may decide too
	NotFor      []string // people who never decide it, by any of their ids: identity, user or service token
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

// Actor is DecisionActor for those who ask.
type Actor = DecisionActor

// DecisionActor is who did something about a task.
type DecisionActor struct {
	// Type of the actor. user: a user. service: a service token. system: Grantwright.
	Type string `json:"type" enum:"user,service,system"`
	// ID of the user or service token. Empty for the system.
	ID string `json:"id"`
	// ID of the identity that the user or service token is linked to. Absent if there is none.
	IdentityID string `json:"identity_id,omitempty"`
	// Display name of the actor.
	Display string `json:"display"`
	// ID of the identity for whom a delegate acted. Absent if the actor acted for themselves.
	ActingFor *string `json:"acting_for,omitempty"`

	// Of a service token: the user who created it. Token and user count as one person.
	MakerID string `json:"maker_id,omitempty"`
	// Of a service token: the identity of the user who created it.
	MakerIdentityID string `json:"maker_identity_id,omitempty"`
}

// ActorOf is who acts, as tasks and requests name them.
func ActorOf(v viewer.Viewer) Actor {
	if v.Kind == viewer.Machine || v.Kind == "" {
		return Actor{Type: "system", Display: "system"}
	}
	return Actor{
		Type:            string(v.Kind),
		ID:              v.ID,
		IdentityID:      v.Identity,
		Display:         v.Display,
		MakerID:         v.Maker,
		MakerIdentityID: v.MakerIdentity,
	}
}

// Parties are the ids under which the actor is known, as viewer.SamePerson compares them. A person acted for counts
// as well.
func (a DecisionActor) Parties() []string {
	ids := viewer.Viewer{
		Kind:          viewer.Kind(a.Type),
		ID:            a.ID,
		Identity:      a.IdentityID,
		Maker:         a.MakerID,
		MakerIdentity: a.MakerIdentityID,
	}.Parties()
	if a.Type == string(viewer.Machine) {
		return nil
	}
	if a.ActingFor != nil {
		ids = append(ids, *a.ActingFor)
	}
	return ids
}

// Decision is DecisionMade for those who ask.
type Decision = DecisionMade

// DecisionMade is a decision.
type DecisionMade struct {
	// Key of the action that was chosen.
	Action string `json:"action"`
	// Comment on the decision. Absent if there is none.
	Comment string `json:"comment,omitempty"`
	// Inputs of the action beside the comment, by name. Absent if there are none.
	Inputs map[string]any `json:"inputs,omitempty"`
	// User or service token that decided.
	By Actor `json:"by"`
	// Time of the decision.
	At time.Time `json:"at"`
	// Origin of the decision. api: a call for one task. bulk: bulk-decide. request: a call for the object that the task
	// is about, such as an access request.
	Channel string `json:"channel" enum:"api,bulk,request"`
}

// Ask enters questions and gives the ids of their tasks, in the order of the questions. Delegations that are in force
// are applied, and what would be left without anybody is asked of administrators. Asking again what is open brings it
// up to date; the deciders stay as they are if the task was reassigned or escalated.
func Ask(ctx context.Context, tx *pg.Tx, questions []New) ([]string, error) {
	if len(questions) == 0 {
		return []string{}, nil
	}
	p, err := prepare(questions)
	if err != nil {
		return nil, err
	}
	if err := p.store(ctx, tx); err != nil {
		return nil, err
	}
	if err := p.assign(ctx, tx); err != nil {
		return nil, err
	}
	if err := UpdateAssignees(ctx, tx, p.tasks()); err != nil {
		return nil, err
	}
	return p.ids(), AddHistory(ctx, tx, p.events)
}
