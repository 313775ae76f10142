package app

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
)

// addSeparation adds duties and separation-of-duties policies.
func addSeparation(_ context.Context, p *parts) error {
	s := &separation.Service{DB: p.db, Cursors: p.cursors}
	p.routes = append(p.routes, s.Routes()...)
	return nil
}
