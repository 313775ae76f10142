package app

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// addRoles adds the room that keeps roles.
func addRoles(_ context.Context, p *parts) error {
	p.routes = append(p.routes, (&role.Service{DB: p.db, Cursors: p.cursors}).Routes()...)
	return nil
}

// sentence tells whom a stored rule is for. One that can no longer be read is told of without.
func sentence(subject []byte) string {
	c, problems := condition.Parse(subject)
	if len(problems) > 0 {
		return ""
	}
	return c.Sentence()
}
