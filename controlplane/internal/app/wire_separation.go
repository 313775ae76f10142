package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
)

// addSeparation adds separation of duties, and the work that finds violations in every process.
func addSeparation(_ context.Context, p *parts) error {
	s := &separation.Service{DB: p.db, Cursors: p.cursors, Log: p.log, Now: time.Now}
	p.routes = append(p.routes, s.Routes()...)
	p.kinds = append(p.kinds, s.Kinds()...)
	return nil
}
