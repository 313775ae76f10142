package draft

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// By is who makes a change, in the form in which rows keep it.
func By(tx *pg.Tx) map[string]any {
	v := tx.Viewer
	return map[string]any{"type": string(v.Kind), "id": v.ID, "display": v.Display}
}

// ProposalKind is the kind of the decision tasks that ask whether a role is to be published.
const ProposalKind = "role_proposal"

// reaches are the members by which a change of a role reaches people.
var reaches = []string{"entitlement_ids", "child_role_ids", "membership_rule", "membership_exclusions", "risk_level"}

// Touches reports whether after gives anybody something else than the role does now, or changes how risky that is.
func Touches(before, after role.RoleFields) (bool, error) {
	if Gives(before) != Gives(after) {
		return true, nil
	}
	if !Gives(after) {
		return false, nil
	}
	if before.Lifecycle == role.Deprecated && after.Lifecycle == role.Active {
		return true, nil // its rule takes new members again
	}
	changes, err := audit.Diff(before, after)
	return slices.ContainsFunc(changes, func(c audit.Change) bool { return slices.Contains(reaches, c.Field) }), err
}

// Gives reports whether the members of a role hold what is in it.
func Gives(f role.RoleFields) bool {
	return f.Lifecycle == role.Active || f.Lifecycle == role.Deprecated
}

// Subject is a role in audit events.
func Subject(r role.Role) audit.Subject {
	return audit.Subject{Type: "role", ID: r.ID, Display: r.Name}
}

// Lock reads a role that is about to be changed and locks it. It is a fault if the viewer may not see it, or if its
// version is another one than match asks for.
func Lock(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch) (role.Role, error) {
	r, err := role.Seen(ctx, tx, tx.Viewer, id, " for update of r")
	if err != nil {
		return r, err
	}
	return r, match.Check(r.Version)
}
