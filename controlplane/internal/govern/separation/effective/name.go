package effective

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Entitlement is one with the names that people read.
type Entitlement struct {
	ID            string `db:"id"`
	Name          string `db:"name"`
	ConnectorID   string `db:"connector_id"`
	ConnectorName string `db:"connector_name"`
}

// Entitlements returns entitlements with their names, by ID.
func Entitlements(ctx context.Context, tx *pg.Tx, ids []string) (map[string]Entitlement, error) {
	const sql = `
		select e.id::text, coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id) as name,
		       coalesce(c.id::text, '') as connector_id, coalesce(c.name, '') as connector_name
		  from entitlement e
		  left join connector c on c.id = e.connector_id
		 where e.id = any(@ids::text[]::uuid[])`
	found, err := pg.All[Entitlement](ctx, tx, "name entitlements", sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, err
	}
	named := make(map[string]Entitlement, len(found))
	for _, e := range found {
		named[e.ID] = e
	}
	return named, nil
}

// Name fills the names of sources: of the entitlement or role, with the number of a request; and the requests of
// request items.
func Name(ctx context.Context, tx *pg.Tx, sources []*Source) error {
	const sql = `
		select r.id::text, r.name, '' from role r where r.id = any(@ids::text[]::uuid[])
		 union all
		select p.id::text, p.name, '' from access_policy p where p.id = any(@ids::text[]::uuid[])
		 union all
		select i.id::text, i.display || ' (REQ-' || lpad(q.number::text, 6, '0') || ')', q.id::text
		  from access_request_item i
		  join access_request q on q.id = i.request_id
		 where i.id = any(@ids::text[]::uuid[])
		 union all
		select e.id::text, coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id), ''
		  from entitlement e
		 where e.id = any(@ids::text[]::uuid[])`
	ids := map[string]bool{}
	for _, s := range sources {
		for _, id := range append([]string{s.ID, s.RoleID}, s.Own...) {
			if id != "" {
				ids[id] = true
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	names, requests := map[string]string{}, map[string]string{}
	var id, name, request string
	if err := pg.Each(ctx, tx, "name sources of access", []any{&id, &name, &request}, func() error {
		names[id], requests[id] = name, request
		return nil
	}, sql, pgx.NamedArgs{"ids": keys(ids)}); err != nil {
		return err
	}
	for _, s := range sources {
		s.RequestID = requests[s.ID]
		candidates := []string{s.ID, s.RoleID}
		if len(s.Own) > 0 {
			candidates = append(candidates, s.Own[0])
		}
		for _, id := range candidates {
			if s.Name = names[id]; s.Name != "" {
				break
			}
		}
	}
	return nil
}
