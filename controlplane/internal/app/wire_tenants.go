package app

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app/tenantaddress"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// addTenants adds the tenants of the deployment: their addresses, what operators do with them, and how closed ones are
// erased.
func addTenants(_ context.Context, p *parts) error {
	at, err := tenantaddress.New(p.config)
	if err != nil {
		return fmt.Errorf("base-url: %w", err)
	}
	tenants := &tenant.Service{
		DB:       p.db,
		Cursors:  p.cursors,
		Links:    p.sessions,
		BaseURL:  at.Of,
		Stop:     syncrun.CancelAll,
		Changed:  p.sessions.ForgetTenants,
		KeepKeys: p.ring.Keep,
		Packs:    InitialPacks(p.log),
		Now:      time.Now,
		Log:      p.log,
	}
	p.api.Address = at.Read
	p.routes = append(p.routes, tenants.Routes()...)
	p.workers = append(p.workers, tenants.Run)
	p.kinds = append(p.kinds, tenants.Kinds()...)
	return nil
}
