package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement/fields"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// addRoles adds the features that keep roles, and in which people work with them. What they ask in the inbox is
// answered there.
func addRoles(_ context.Context, p *parts) error {
	roles := &role.Service{DB: p.db, Cursors: p.cursors, Conditions: accesspolicy.ReadRoleCondition}
	p.roles = &rolemodel.Service{
		DB:       p.db,
		Cursors:  p.cursors,
		Policies: p.policies.Simulations(),
		Roles:    roles,
		Now:      time.Now,
	}
	roles.Guard = p.roles.Guard
	p.routes = append(p.routes, roles.Routes()...)
	p.routes = append(p.routes, p.roles.Routes()...)
	return nil
}

// sentence describes whom a stored rule is for. A rule that can no longer be read is described without that.
func sentence(subject []byte) string {
	c, problems := condition.Parse(subject)
	if len(problems) > 0 {
		return ""
	}
	return c.Sentence()
}

// offeredTo reads whom an entitlement is offered to, in the language of rules.
func offeredTo(c fields.EntitlementCondition) (fields.EntitlementCondition, []fault.Field) {
	read := accesspolicy.ReadRoleCondition(role.RoleCondition(c))
	return fields.EntitlementCondition(read.Normal), read.Wrong
}
