package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/taskcheck"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision"
)

// addProvisioning adds what plans the changes of target systems and makes them, in every process.
func addProvisioning(_ context.Context, p *parts) error {
	p.changes = &provision.Service{
		DB:         p.db,
		Connectors: p.worker.Connectors,
		Dispatch:   p.worker.Dispatch,
		Cursors:    p.cursors,
		Log:        p.log,
		Now:        time.Now,
		Admit:      taskcheck.Admit,
	}
	p.routes = append(p.routes, p.changes.Routes()...)
	p.workers = append(p.workers, p.changes.Run)
	p.kinds = append(p.kinds, p.changes.Kinds()...)
	return nil
}
