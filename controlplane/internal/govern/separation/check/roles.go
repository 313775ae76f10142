package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// RoleConflict is a role whose contents alone violate an enforced policy that blocks.
type RoleConflict struct {
	// ID of the role.
	RoleID string `json:"role_id"`
	// Name of the role.
	RoleName string `json:"role_name"`
	// Violation in words, with the access that performs the sides.
	Detail string `json:"detail"`

	violation SeparationConflict
}

// RoleConflicts returns the conflicts of roles in use, and of the roles in use that contain them, as the transaction
// sees them. Policies about access that is missing, and about the past, depend on the person and are left out.
func RoleConflicts(ctx context.Context, tx *pg.Tx, roleIDs []string, now time.Time) ([]RoleConflict, error) {
	book, err := rulebook.For(ctx, tx)
	blocks := func(p rulebook.Policy) bool { return definition.Refuses(p.EffectOnAssignment()) }
	if err != nil || len(roleIDs) == 0 || !book.Any(blocks) {
		return []RoleConflict{}, err
	}
	const sql = `
		select p.id::text, p.name,
		       array(select distinct x.entitlement_id::text
		               from roles_within(array[p.id]) w
		               join role_entitlement x on x.role_id = w.part_id)
		  from role p
		 where (p.id = any($1::text[]::uuid[]) or p.id in (select roles_around($1::text[]::uuid[])))
		   and p.lifecycle in ('active', 'deprecated')
		 order by p.name, p.id`
	var roles []container
	var c container
	if err := pg.Each(ctx, tx, "read contents of roles", []any{&c.ID, &c.Name, &c.Rest}, func() error {
		roles = append(roles, c)
		c.Rest = nil
		return nil
	}, sql, roleIDs); err != nil || len(roles) == 0 {
		return []RoleConflict{}, err
	}
	found, of, err := violatingRoles(ctx, tx, book, roles, nil, nil, now)
	if err != nil {
		return nil, err
	}
	described, err := Describe(ctx, tx, book, found)
	if err != nil {
		return nil, err
	}
	all := make([]RoleConflict, len(described))
	for i, d := range described {
		d.Effect = Block
		all[i] = RoleConflict{
			RoleID:    of[i].ID,
			RoleName:  of[i].Name,
			Detail:    d.Sentence("The role " + of[i].Name),
			violation: d,
		}
	}
	return all, nil
}

// Fresh returns the conflicts after a change that were not there before it. One that was there has the same role and
// policy.
func Fresh(before, after []RoleConflict) []RoleConflict {
	return slices.DeleteFunc(slices.Clone(after), func(a RoleConflict) bool {
		return slices.ContainsFunc(before, func(b RoleConflict) bool {
			return b.RoleID == a.RoleID && b.violation.Policy.ID == a.violation.Policy.ID
		})
	})
}

// RefuseRoles is a fault of kind Conflict about role conflicts, and nil if there are none.
func RefuseRoles(all []RoleConflict) error {
	if len(all) == 0 {
		return nil
	}
	more := ""
	if n := len(all) - 1; n > 0 {
		more = fmt.Sprintf(" There are %d more conflicts in roles.", n)
	}
	violations := make([]SeparationConflict, len(all))
	for i, c := range all {
		violations[i] = c.violation
	}
	return fault.Coded(fault.Conflict, "separation_of_duties", "%s%s", all[0].Detail, more).
		Also("violations", violations)
}
