package decisiontable

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// names are roles and entitlements by what files call them: roles by key or ID; entitlements by the business ID of
// their connector, a colon and their external ID, or by their ID.
type names struct{ roles, entitlements map[string]string }

// findNames finds what the rows of a file name.
func findNames(ctx context.Context, tx *pg.Tx, rows []line) (n names, err error) {
	const (
		roles = `
			select n.name, r.id::text
			  from unnest(@roles::text[]) n (name)
			  join role r on r.key = n.name or r.id::text = lower(n.name)`
		entitlements = `
			select n.name, e.id::text
			  from unnest(@entitlements::text[], @connectors::text[], @external::text[])
			       n (name, connector, external_id)
			  join connector c on c.deleted_at is null and c.business_id = n.connector
			  join entitlement e on e.connector_id = c.id and e.external_id = n.external_id
			 union all
			select n.name, e.id::text
			  from unnest(@entitlements::text[]) n (name)
			  join entitlement e on e.id::text = lower(n.name)`
	)
	n = names{map[string]string{}, map[string]string{}}
	args := n.asked(rows)
	var name, id string
	if err := pg.Each(ctx, tx, "find roles of decision table", []any{&name, &id}, func() error {
		n.roles[name] = id
		return nil
	}, roles, args); err != nil {
		return n, err
	}
	err = pg.Each(ctx, tx, "find entitlements of decision table", []any{&name, &id}, func() error {
		n.entitlements[name] = id
		return nil
	}, entitlements, args)
	return n, err
}

// asked are the names of the rows, each once.
func (names) asked(rows []line) pgx.NamedArgs {
	roles, entitlements, connectors, external := []string{}, []string{}, []string{}, []string{}
	seen := map[string]bool{}
	for _, l := range rows {
		for _, name := range l.roles {
			if !seen["r"+name] {
				seen["r"+name], roles = true, append(roles, name)
			}
		}
		for _, name := range l.entitlements {
			if seen["e"+name] {
				continue
			}
			connector, id, _ := strings.Cut(name, ":")
			seen["e"+name], entitlements = true, append(entitlements, name)
			connectors, external = append(connectors, connector), append(external, id)
		}
	}
	return pgx.NamedArgs{"roles": roles, "entitlements": entitlements, "connectors": connectors, "external": external}
}

// calledBy are the names for a file, by ID.
func calledBy(ctx context.Context, tx *pg.Tx, t *table.DecisionTable) (map[string]string, error) {
	const sql = `
		select r.id::text, r.key
		  from role r
		 where r.id = any(@roles::text[]::uuid[])
		 union all
		select e.id::text, c.business_id || ':' || e.external_id
		  from entitlement e
		  join connector c on c.id = e.connector_id and c.deleted_at is null
		 where e.id = any(@entitlements::text[]::uuid[])
		   and strpos(c.business_id, ':') = 0
		   and e.external_id = trim(e.external_id)`
	roles, entitlements := t.Results()
	called := map[string]string{}
	var id, name string
	err := pg.Each(ctx, tx, "name results of decision table", []any{&id, &name}, func() error {
		called[id] = name
		return nil
	}, sql, pgx.NamedArgs{"roles": roles, "entitlements": entitlements})
	return called, err
}

// tableOf is the table of a file. What is wrong with it goes to p, by line.
func tableOf(s sheet, hitPolicy string, n names, p *problems) *table.DecisionTable {
	t := &table.DecisionTable{HitPolicy: hitPolicy, Columns: s.columns, Rows: []table.DecisionTableRow{}}
	for _, l := range s.rows {
		r := table.DecisionTableRow{Cells: l.cells, Comment: l.comment, RoleIDs: []string{}, EntitlementIDs: []string{}}
		for _, name := range l.roles {
			id, found := n.roles[name]
			if !found {
				p.add(l.number, rolesColumn, "unknown_role", "The role %q is unknown. Use the key of a role.", name)
			}
			r.RoleIDs = append(r.RoleIDs, id)
		}
		for _, name := range l.entitlements {
			id, found := n.entitlements[name]
			if !found {
				p.add(l.number, entitlementsColumn, "unknown_entitlement", "The entitlement %q is unknown. Use the "+
					"business ID of its connector, a colon and its external ID.", name)
			}
			r.EntitlementIDs = append(r.EntitlementIDs, id)
		}
		t.Rows = append(t.Rows, r)
	}
	for _, w := range t.Complete() {
		number, column := 1, ""
		if w.Row >= 0 && w.Row < len(s.rows) {
			number = s.rows[w.Row].number
		}
		if w.Column >= 0 && w.Column < len(s.columns) {
			column = s.columns[w.Column]
		}
		p.add(number, column, w.Code, "%s", w.Detail)
	}
	return t
}
