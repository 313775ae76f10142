package app

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app/dates"
	"github.com/grantwright/grantwright/controlplane/internal/govern/signinrule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/record/apitoken"
	"github.com/grantwright/grantwright/controlplane/internal/record/user"
)

// addPeople adds the administration of who signs in, and of the tokens of integrations.
func addPeople(_ context.Context, p *parts) error {
	people := &user.Service{
		DB: p.db, SignIn: p.sessions, Cursors: p.cursors, Now: time.Now,
		Invited: p.invited, InvitedByRule: p.invitedByRule,
	}
	rules := &signinrule.Service{DB: p.db, Cursors: p.cursors, Users: people, Now: time.Now}
	// The routes are asked for when they are all there.
	tokens := &apitoken.Service{
		DB:      p.db,
		Tokens:  p.sessions,
		Cursors: p.cursors,
		Offers:  func() []httpapi.Route { return p.routes },
		Now:     time.Now,
	}
	p.routes = slices.Concat(p.routes, people.Routes(), tokens.Routes(), rules.Routes())
	p.kinds = append(p.kinds, rules.Kinds()...)
	p.jobs = append(p.jobs, rules.Jobs(p.log)...)
	p.workers = append(p.workers, p.sessions.RecordUses)
	p.jobs = append(p.jobs, dates.Job(p.db))
	return nil
}
