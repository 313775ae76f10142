package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook"
)

// addWebhooks adds webhooks. Deliveries use TLS, except to the ranges that the operator opened, whatever is allowed for
// target systems.
func addWebhooks(_ context.Context, p *parts) error {
	guard := *p.guard
	guard.AllowPlaintext = false
	hooks := &webhook.Service{DB: p.db, Seal: p.ring, Guard: &guard, Cursors: p.cursors, Log: p.log, Now: time.Now}
	p.routes = append(p.routes, hooks.Routes()...)
	p.workers = append(p.workers, hooks.Run)
	return nil
}
