package assignment

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Live are the assignments of these people that have not ended, by person.
func Live(ctx context.Context, tx *pg.Tx, identityIDs []string) (map[string][]Assignment, error) {
	const sql = `
		select a.id::text, a.role_id::text, a.identity_id::text, a.kind, a.reason, a.request_id::text, a.details,
		    a.starts_at, a.ends_at
		  from role_assignment a
		 where a.identity_id = any(@ids::text[]::uuid[])
		   and a.state <> 'ended'
		 order by a.id`
	return live(ctx, tx, sql, identityIDs)
}

// Still locks these assignments, so that no one ends or extends them meanwhile, and gives those that have not ended, by
// id.
func Still(ctx context.Context, tx *pg.Tx, ids []string) (map[string]Assignment, error) {
	const sql = `
		select a.id::text, a.role_id::text, a.identity_id::text, a.kind, a.reason, a.request_id::text, a.details,
		    a.starts_at, a.ends_at
		  from role_assignment a
		 where a.id = any(@ids::text[]::uuid[])
		   and a.state <> 'ended'
		 order by a.id
		   for share of a`
	found, err := live(ctx, tx, sql, ids)
	if err != nil {
		return nil, err
	}
	still := map[string]Assignment{}
	for _, of := range found {
		for _, a := range of {
			still[a.ID] = a
		}
	}
	return still, nil
}

func live(ctx context.Context, tx *pg.Tx, sql string, ids []string) (map[string][]Assignment, error) {
	found := map[string][]Assignment{}
	if len(ids) == 0 {
		return found, nil
	}
	assignments, err := pg.AllBy(
		ctx,
		tx,
		"read assignments of roles",
		func(row pgx.CollectableRow) (a Assignment, err error) {
			err = row.Scan(
				&a.ID,
				&a.RoleID,
				&a.IdentityID,
				&a.Kind,
				&a.Reason,
				&a.RequestID,
				&a.Details,
				&a.StartsAt,
				&a.EndsAt,
			)
			return a, err
		},
		sql,
		pgx.NamedArgs{"ids": ids},
	)
	if err != nil {
		return nil, err
	}
	for _, a := range assignments {
		found[a.IdentityID] = append(found[a.IdentityID], a)
	}
	return found, nil
}
