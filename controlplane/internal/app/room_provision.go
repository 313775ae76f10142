package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision"
)

// addProvisioning adds what plans the changes of target systems and makes them, in every process.
func addProvisioning(_ context.Context, p *parts) error {
	changes := &provision.Service{DB: p.db, Connectors: p.runs.Connectors, Dispatch: p.runs.Dispatch, Cursors: p.cursors, Log: p.log, Now: time.Now}
	p.routes = append(p.routes, changes.Routes()...)
	p.workers = append(p.workers, changes.Run)
	return nil
}
