package member

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// RoleMember is a person who has a role.
type RoleMember struct {
	// ID of the identity that has the role.
	IdentityID string `json:"identity_id" db:"id"`
	// Display name of the person. Empty if there is none.
	Display string `json:"display" db:"display"`
	// Department of the person. Empty if there is none.
	Department string `json:"department" db:"department"`
	// Status of the identity: pre_hire, active, on_leave, notice, deactivated or archived.
	Status string `json:"status" db:"status"`
	RoleHolding
}

// memberRow is one before it is known how they have it.
type memberRow struct {
	IdentityID string `db:"id"`
	Display    string `db:"display"`
	Department string `db:"department"`
	Status     string `db:"status"`
}

// MemberFilters narrow a list of members; each one given must hold.
type MemberFilters struct {
	// Who has it by such a way, perhaps by others too.
	Kind string `query:"kind" enum:"rule,policy,manual,request,emergency"`
	// Words, each of which is part of a name, e-mail or external id, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
}

// query is the list's query. Members have the role by an assignment or by a reason of a rule, or
// both.
func (f MemberFilters) query(roleID string) *listing.Query {
	q := &listing.Query{
		Columns: `i.id, coalesce(i.display_name, '') as display, coalesce(i.department, '') as department, i.status`,
		From:    "identity i",
		ID:      "i.id",
		Order:   listing.Order{Column: "coalesce(i.display_name, '')", Type: "text"},
	}
	const (
		assigned = `exists (select from role_assignment a where a.role_id = @role and a.identity_id = i.id
			and a.state <> 'ended' %s)`
		reasoned = `exists (select from access_reason r where r.role_id = @role and r.identity_id = i.id
			and r.state <> 'ended' and r.effect = 'allow' %s)`
	)
	args := pgx.NamedArgs{"role": roleID}
	switch f.Kind {
	case "":
		q.Where(`i.id in (select a.identity_id from role_assignment a where a.role_id = @role and a.state <> 'ended'
			union select r.identity_id from access_reason r where r.role_id = @role and r.state <> 'ended'
			  and r.effect = 'allow')`, args)
	case "rule":
		q.Where(fmt.Sprintf(reasoned, "and r.source_type = 'role'"), args)
	case "policy":
		q.Where(fmt.Sprintf(reasoned, "and r.source_type = 'policy'"), args)
	default:
		args["kind"] = f.Kind
		q.Where(fmt.Sprintf(assigned, "and a.kind = @kind"), args)
	}
	q.Search(f.Q, "i.display_name", "i.email", "i.external_id")
	return q
}

// Members gives a page of the people who have a role. Its owners see all of them, whatever they may see elsewhere: they
// answer for who has it.
func (s *Service) Members(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	f MemberFilters,
	page pg.Page,
) (items []RoleMember, total int64, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := role.Seen(ctx, tx, v, id, ""); err != nil {
			return err
		}
		rows, n, err := listing.Fetch[memberRow](ctx, tx, f.query(id), page)
		if err != nil {
			return err
		}
		var people []string
		for _, r := range rows {
			people = append(people, r.IdentityID)
		}
		how, err := holdings(ctx, tx, []string{id}, people)
		if err != nil {
			return err
		}
		total = n
		for _, r := range rows {
			m := RoleMember{
				IdentityID:  r.IdentityID,
				Display:     r.Display,
				Department:  r.Department,
				Status:      r.Status,
				RoleHolding: RoleHolding{Ways: []RoleWay{}},
			}
			if h := how[pair{id, r.IdentityID}]; h != nil {
				m.RoleHolding = *h
			}
			items = append(items, m)
		}
		return nil
	})
	return items, total, err
}
