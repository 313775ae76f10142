package organization

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/clock"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/delegate"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Organization is what resolution knows of people at an instant.
type Organization struct {
	Facts   map[string]*fact.Person // of those whom conditions and expressions are about
	Above   map[string][]string     // the managers of a person, the nearest first
	Members map[string][]string     // who holds a role of the model
	// the identities of active users with a role of the tenant; empty: a user without one
	Users     map[string][]string
	Duty      map[string][]string // by schedule: who is on call, and who follows
	Schedules map[string]string   // their names
	Texts     map[string]string   // ids, external ids and addresses in small letters: whose
	People    map[string]Person
	// Delegates decide every approval of a person. Delegations has the limited ones too.
	Delegates   map[string]string
	Delegations delegate.Known
	Clock       clock.Clock
}

// Person is a person who may come to be asked. Unable is why they cannot decide, as unable_to_decide() has it.
type Person struct {
	ID, Display, Unable string
	Joins               bool // they have no user yet: an identity provider makes them one when they sign in
}

// KindOfTask is that of approvals in the inbox, for which people delegate.
const KindOfTask = "request_approval"

// Wanted collects what resolvers need of the organization.
type Wanted struct {
	// managers asks for the lines of managers; roles, users and duty are the IDs to look up.
	managers           bool
	roles, users, duty []string
}

// Note adds what resolvers need.
func (w *Wanted) Note(resolvers []approval.ApproverResolver) {
	for _, r := range resolvers {
		switch r.Kind {
		case approval.ByManager:
			w.managers = true
		case approval.ByGroup:
			w.roles = append(w.roles, r.RoleID)
		case approval.ByAppRole:
			w.users = append(w.users, r.AppRole)
		case approval.ByOnCall:
			w.duty = append(w.duty, r.ScheduleID)
		}
	}
}

// Load reads what the resolvers of these subjects need, but for the people themselves.
func (o *Organization) Load(
	ctx context.Context,
	tx *pg.Tx,
	beneficiaries []string,
	w Wanted,
	at time.Time,
) (err error) {
	if w.managers {
		if o.Above, err = managersOf(ctx, tx, beneficiaries); err != nil {
			return err
		}
	}
	if o.Members, err = membersOf(ctx, tx, approval.SortedSet(w.roles)); err != nil {
		return err
	}
	if o.Users, err = usersWith(ctx, tx, approval.SortedSet(append(w.users, approval.Admin))); err != nil {
		return err
	}
	if o.Clock, err = clock.Load(ctx, tx); err != nil {
		return err
	}
	o.Duty, o.Schedules, err = o.Clock.OnDuty(ctx, tx, approval.SortedSet(w.duty), at)
	return err
}
