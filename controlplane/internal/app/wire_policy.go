package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
)

// addPolicies adds access grant policies, and their evaluation in every process.
func addPolicies(_ context.Context, p *parts) error {
	p.policies = &policy.Service{DB: p.db, Cursors: p.cursors, Log: p.log, Now: time.Now}
	p.routes = append(p.routes, p.policies.Routes()...)
	p.kinds = append(p.kinds, p.policies.Kinds()...)
	return nil
}
