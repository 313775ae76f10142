package plan

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Plan is what has to be written down. Nothing of it has happened yet. Records are named by their ids.
type Plan struct {
	Can     map[string]ability.Ability // by connector
	Creates map[string]string          // the tasks that create accounts, by account

	Accounts   []NewAccount
	Grants     []NewGrant
	Tasks      []task.Draft
	Cancelled  []task.Cancellation
	Fulfilled  []string // tasks that what was read shows to be done
	Replanned  []string // tasks that are being sent, and of which the opposite is wanted
	Hastened   []string // tasks that go before others from now on
	WantedOf   []string // accounts that a reason asks for
	Wanted     []string // grants that a reason asks for
	Statuses   []Status // of accounts
	GrantState []Status // of grants
	Limits     []Limit
	Forgotten  []string // accounts that were to be created and are not
}

// NewAccount is an account that is to be created. Its names are empty until it is computed from the template.
type NewAccount struct {
	// ID is chosen by the plan; the other IDs are of existing records.
	ID          string
	ConnectorID string
	IdentityID  string
	Username    string
	Email       string
	DisplayName string
	// Status is provisioning, or failed if the template cannot be computed.
	Status string
	Wanted bool // a reason asks for it
	Task   int  // its task, among the plan's
	// Given are the values that a user ordered. They take precedence over those of the template. Nil: the template
	// decides all.
	Given *v1.ProvisionAccount
}

// NewGrant is a grant that is to be given.
type NewGrant struct {
	// ID is chosen by the plan.
	ID            string
	ConnectorID   string
	AccountID     string
	EntitlementID string
	EndsAt        *time.Time // nil: it has no end
}

// Status is the status that a record is to have.
type Status struct{ ID, Status string }

// Limit is the end that a grant is to have, and the status that follows from how near the end is.
type Limit struct {
	ID string
	// Status is active or ending.
	Status string
	EndsAt *time.Time
}

// wantAccount marks an account as asked for by a reason.
func (p *Plan) wantAccount(id string) { p.WantedOf = append(p.WantedOf, id) }

// wantGrant marks a grant as asked for by a reason.
func (p *Plan) wantGrant(id string) { p.Wanted = append(p.Wanted, id) }

// cancel cancels a task that was not sent; why is shown to people.
func (p *Plan) cancel(id, why string) {
	p.Cancelled = append(p.Cancelled, task.Cancellation{ID: id, Why: why})
}

// fulfil closes a task whose change a reading has shown already.
func (p *Plan) fulfil(id string) { p.Fulfilled = append(p.Fulfilled, id) }

// replan has a task planned again once it is known whether it was carried out.
func (p *Plan) replan(id string) { p.Replanned = append(p.Replanned, id) }

// hurry moves a task to the urgent lane.
func (p *Plan) hurry(id string) { p.Hastened = append(p.Hastened, id) }

// status sets the status of an account.
func (p *Plan) status(id, to string) { p.Statuses = append(p.Statuses, Status{id, to}) }

// grantStatus sets the status of a grant.
func (p *Plan) grantStatus(id, status string) {
	p.GrantState = append(p.GrantState, Status{id, status})
}

// forget discards an account that was never made; its username is free again.
func (p *Plan) forget(id string) { p.Forgotten = append(p.Forgotten, id) }

// create enters an account that is to be made. A simulated one has a task and no account.
func (p *Plan) create(s *system, w *ledger.Want) (Account, bool) {
	id := task.NewID()
	d := task.Draft{Operation: task.CreateAccount, CreatedFrom: origin(w.Kinds), Reasons: w.ReasonIDs}
	if s.can.Mode != task.ModeSimulate {
		d.AccountID = id
	}
	if s.Lost[s.id] {
		if d.CreatedFrom = task.FromDrift; s.can.AskRemoved && s.can.Mode != task.ModeSimulate {
			d.Failed = removedInTarget("account")
		}
	}
	p.order(s, d)
	p.Accounts = append(
		p.Accounts,
		NewAccount{
			ID:          id,
			ConnectorID: s.id,
			IdentityID:  s.Person.ID,
			Status:      "provisioning",
			Wanted:      true,
			Task:        len(p.Tasks) - 1,
		},
	)
	p.Creates[id] = p.Tasks[len(p.Tasks)-1].ID
	now := s.Settings.Now
	return Account{
		ID:          id,
		IdentityID:  s.Person.ID,
		ConnectorID: s.id,
		Status:      "provisioning",
		Managed:     "managed",
		Type:        "person",
		CreatedAt:   now,
		WantedAt:    &now,
	}, true
}

// grantRow adds a grant that is to be made, and gives its ID for the task.
func (p *Plan) grantRow(connector string, key Pair, ends *time.Time) string {
	g := NewGrant{
		ID:            task.NewID(),
		ConnectorID:   connector,
		AccountID:     key.Account,
		EntitlementID: key.Entitlement,
		EndsAt:        ends,
	}
	p.Grants = append(p.Grants, g)
	return g.ID
}

// order enters a task about the person.
func (p *Plan) order(s *system, d task.Draft) {
	d.ID, d.ConnectorID, d.IdentityID, d.Mode = task.NewID(), s.id, s.Person.ID, s.can.ModeOf(d.Operation)
	p.Tasks = append(p.Tasks, d)
}
