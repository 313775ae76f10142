package app

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/record/workqueue"
)

// addWork adds what people see of the work queue. It comes after all features that leave kinds of work or jobs.
func addWork(_ context.Context, p *parts) error {
	work := &workqueue.Service{DB: p.db, Cursors: p.cursors, Kinds: p.kinds, Jobs: p.jobs}
	p.routes = append(p.routes, work.Routes()...)
	return nil
}
