package app

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app/tenantaddress"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook"
)

// addWebhooks adds webhooks. Deliveries use TLS, except to the ranges that the operator opened, whatever is allowed for
// target systems.
func addWebhooks(_ context.Context, p *parts) error {
	at, err := tenantaddress.New(p.config)
	if err != nil {
		return fmt.Errorf("base-url: %w", err)
	}
	guard := *p.guard
	guard.AllowPlaintext = false
	hooks := &webhook.Service{DB: p.db, Seal: p.ring, Guard: &guard, Cursors: p.cursors, Log: p.log, Now: time.Now,
		BaseURL: at.Of}
	p.routes = append(p.routes, hooks.Routes()...)
	p.workers = append(p.workers, hooks.Run)
	return nil
}
