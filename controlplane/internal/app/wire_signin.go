package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/auth/idp"
)

// addSignin lets people sign in with identity providers, and makes this process notice at once when rights
// change.
func addSignin(_ context.Context, p *parts) error {
	providers := &idp.Service{DB: p.db, Seal: p.ring, Cursors: p.cursors, Guard: p.guard, Now: time.Now}
	p.sessions.With(providers)
	p.sessions.Sessions.Cursors = p.cursors
	p.sessions.Sessions.PublicURL = p.config.URL(p.config.Listen)
	p.routes = append(p.routes, providers.Routes()...)
	p.workers = append(p.workers, p.sessions.Run)
	return nil
}
