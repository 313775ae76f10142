package database

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// TenantIDs lists all tenants, the oldest first.
func TenantIDs(ctx context.Context, db *pg.DB) ([]string, error) {
	return listTenants(ctx, db, `select id::text from tenant order by created_at`)
}

// ActiveTenants lists those in which anything happens.
func ActiveTenants(ctx context.Context, db *pg.DB) ([]string, error) {
	return listTenants(ctx, db, `select id::text from tenant where status = 'active' order by created_at`)
}

func listTenants(ctx context.Context, db *pg.DB, sql string) ([]string, error) {
	ids, err := pg.FindAcross(ctx, db, pgx.RowTo[string], sql)
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	return ids, nil
}

// TenantNames lists all tenants, the oldest first, with their short names by id.
func TenantNames(ctx context.Context, db *pg.DB) (ids []string, names map[string]string, err error) {
	err = db.Across(ctx, func(tx *pg.Tx) error {
		ids, names = nil, map[string]string{}
		rows, err := tx.Query(ctx, `select id::text, slug from tenant order by created_at, id`)
		if err != nil {
			return err
		}
		for rows.Next() {
			var id, slug string
			if err := rows.Scan(&id, &slug); err != nil {
				return err
			}
			ids, names[id] = append(ids, id), slug
		}
		return rows.Err()
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list tenants: %w", err)
	}
	return ids, names, nil
}
