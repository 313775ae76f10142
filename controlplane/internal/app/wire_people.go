package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app/dates"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/record/apitoken"
	"github.com/grantwright/grantwright/controlplane/internal/record/user"
)

// addPeople adds the administration of who signs in, and of the tokens of integrations.
func addPeople(_ context.Context, p *parts) error {
	people := &user.Service{DB: p.db, SignIn: p.sessions, Cursors: p.cursors, Now: time.Now}
	// The routes are asked for when they are all there.
	tokens := &apitoken.Service{
		DB:      p.db,
		Tokens:  p.sessions,
		Cursors: p.cursors,
		Offers:  func() []httpapi.Route { return p.routes },
		Now:     time.Now,
	}
	p.routes = append(append(p.routes, people.Routes()...), tokens.Routes()...)
	p.workers = append(p.workers, p.sessions.RecordUses)
	p.jobs = append(p.jobs, dates.Job(p.db))
	return nil
}
