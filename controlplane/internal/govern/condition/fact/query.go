package fact

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// ManagersAbove finds which of the named managers are above each of the people. ids are ids of identities; named are
// ids or external ids, as in Needs. The result has, by id of a person, the ids and external ids of the managers found.
// No one is above themselves, in a cycle neither.
func ManagersAbove(ctx context.Context, tx *pg.Tx, ids, named []string) (map[string]map[string]bool, error) {
	found := map[string]map[string]bool{}
	if len(named) == 0 {
		return found, nil
	}
	// union, not union all, so that a cycle of managers ends.
	const sql = `
		with recursive up (id, above) as (
		    select i.id, i.manager_id
		      from identity i
		     where i.tenant_id = current_tenant()
		       and i.id = any(@ids::text[]::uuid[])
		       and i.manager_id is not null
		     union
		    select up.id, m.manager_id
		      from up
		      join identity m on m.tenant_id = current_tenant() and m.id = up.above
		     where m.manager_id is not null
		)
		select up.id::text, array_remove(array[m.id::text, m.external_id], null)
		  from up
		  join identity m on m.tenant_id = current_tenant() and m.id = up.above
		 where up.id <> m.id
		   and (m.id::text = any(@named) or m.external_id = any(@named))`
	var id string
	var names []string
	if err := pg.Each(ctx, tx, "find managers above", []any{&id, &names}, func() error {
		if found[id] == nil {
			found[id] = map[string]bool{}
		}
		for _, n := range names {
			found[id][n] = true
		}
		return nil
	}, sql, pgx.NamedArgs{"ids": ids, "named": named}); err != nil {
		return nil, err
	}
	return found, nil
}

// Named reads which of the names a query finds for one person. The query has the parameters @id, the id of the
// identity, and @named, and gives one column. Without names, nothing is read.
func Named(ctx context.Context, tx *pg.Tx, sql, id string, names []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(names) == 0 {
		return found, nil
	}
	var name string
	if err := pg.Each(
		ctx,
		tx,
		"read what conditions ask",
		[]any{&name},
		func() error { found[name] = true; return nil },
		sql,
		pgx.NamedArgs{"id": id, "named": names},
	); err != nil {
		return nil, err
	}
	return found, nil
}
