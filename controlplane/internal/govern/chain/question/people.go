package question

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Person is what approvers are told about a person.
type Person struct {
	ID         string  `db:"id" json:"id"`
	Display    string  `db:"display" json:"display"`
	Title      *string `db:"title" json:"title"`
	Department *string `db:"department" json:"department"`
	ManagerID  *string `db:"manager_id" json:"manager_id"`
	Manager    *string `db:"manager" json:"manager"`
	Status     string  `db:"status" json:"status"`
	Unable     string  `db:"unable" json:"-"` // why they cannot decide; empty: they can
}

// Resource is what approvers are told about a role or entitlement.
type Resource struct {
	ID          string  `db:"id" json:"id"`
	Display     string  `db:"display" json:"display"`
	Description string  `db:"description" json:"description"`
	Risk        *string `db:"risk_level" json:"risk_level"`
	Privileged  bool    `db:"privileged" json:"privileged"`
	System      string  `db:"system" json:"system,omitempty"`
}

// People reads what approvers are told about people, by their ids.
func People(ctx context.Context, tx *pg.Tx, ids []string) (map[string]Person, error) {
	const sql = `
		select i.id::text, i.display_name as display, i.title, i.department, i.status, m.id::text as manager_id,
		       m.display_name as manager, unable_to_decide(i.id) as unable
		  from identity i
		  left join identity m
		    on m.tenant_id = i.tenant_id
		   and m.id = i.manager_id
		 where i.tenant_id = current_tenant()
		   and i.id = any(@ids::text[]::uuid[])`
	list, err := pg.All[Person](ctx, tx, "look at people", sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, err
	}
	found := map[string]Person{}
	for _, each := range list {
		found[each.ID] = each
	}
	return found, nil
}

func resources(ctx context.Context, tx *pg.Tx, ids []string) (map[string]Resource, error) {
	const sql = `
		select e.id::text, e.display_name as display,
		       coalesce(nullif(e.business_description, ''), e.description, '') as description, e.risk_level,
		           e.privileged, coalesce(c.name, '') as system
		  from entitlement e
		  left join connector c on c.tenant_id = e.tenant_id and c.id = e.connector_id
		 where e.tenant_id = current_tenant()
		   and e.id = any(@ids::text[]::uuid[])
		 union all
		select r.id::text, r.name, r.description, r.risk_level, false, ''
		  from role r
		 where r.tenant_id = current_tenant()
		   and r.id = any(@ids::text[]::uuid[])`
	list, err := pg.All[Resource](ctx, tx, "look at things", sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, err
	}
	found := map[string]Resource{}
	for _, each := range list {
		found[each.ID] = each
	}
	return found, nil
}
