package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/dashboard"
)

// addDashboard adds the sum of what the other features hold.
func addDashboard(_ context.Context, p *parts) error {
	sums := &dashboard.Service{DB: p.db, Log: p.log, Now: time.Now}
	p.jobs = append(p.jobs, sums.Jobs()...)
	p.routes = append(p.routes, sums.Routes()...)
	return nil
}
