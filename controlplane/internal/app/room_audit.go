package app

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit/stream"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail"
)

// addAudit adds what is done with the audit log: reading, signing, sending and shortening it.
func addAudit(_ context.Context, p *parts) error {
	log := trail.New(p.db, p.ring, p.cursors, p.log)
	streams := stream.New(p.db, p.ring, p.guard, p.cursors, p.log)
	p.routes = append(p.routes, log.Routes()...)
	p.routes = append(p.routes, streams.Routes()...)
	p.workers = append(p.workers, log.Sign, log.Trim, streams.Run)
	return nil
}
