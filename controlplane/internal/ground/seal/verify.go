package seal

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Verify opens everything that is sealed, for the deployment and for the tenants with these ids, and returns how many
// values that are. It returns an error that names the first one that does not open.
func (r *Rotation) Verify(ctx context.Context, tenants []string) (total int, err error) {
	for _, c := range GlobalColumns {
		find := fmt.Sprintf(`select ctid::text, %s, %s from %s where %[2]s is not null`,
			c.Purpose, pgx.Identifier{c.Column}.Sanitize(), pgx.Identifier{c.Table}.Sanitize())
		n, err := r.opens(
			ctx,
			func(do func(*pg.Tx) error) error { return r.DB.Deployment(ctx, do) },
			c.Table,
			find,
			func(_ *pg.Tx, purpose string, value []byte) error {
				_, err := r.Ring.OpenGlobal(purpose, value)
				return err
			},
		)
		if total += n; err != nil {
			return total, fmt.Errorf("open %s.%s: %w", c.Table, c.Column, err)
		}
	}
	for _, tenant := range tenants {
		erased, err := r.erased(ctx, tenant)
		if err != nil {
			return total, err
		}
		if erased {
			continue
		}
		for _, c := range Columns {
			find := fmt.Sprintf(`select ctid::text, %s, %s from %s where %[2]s is not null`,
				c.Row, pgx.Identifier{c.Column}.Sanitize(), pgx.Identifier{c.Table}.Sanitize())
			n, err := r.opens(
				ctx,
				r.within(ctx, tenant),
				c.Table,
				find,
				func(tx *pg.Tx, row string, value []byte) error {
					_, err := r.Ring.Open(ctx, tx, Place{Table: c.Table, Column: c.Column, Row: row}, value)
					return err
				},
			)
			if total += n; err != nil {
				return total, fmt.Errorf("open %s.%s of tenant %s: %w", c.Table, c.Column, tenant, err)
			}
		}
	}
	return total, nil
}

// erased says that a tenant has no data key: it has no secrets, or nothing is to open them any more.
func (r *Rotation) erased(ctx context.Context, tenant string) (erased bool, err error) {
	err = r.within(ctx, tenant)(func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select not exists (select from tenant_key)`).Scan(&erased)
	})
	return erased, err
}

// opens walks a table by the places of its rows.
func (r *Rotation) opens(
	ctx context.Context,
	run func(func(*pg.Tx) error) error,
	table, find string,
	open func(*pg.Tx, string, []byte) error,
) (total int, err error) {
	blocks, err := blocksOf(ctx, run, table)
	find += ` and ctid >= $1::text::tid and ctid < $2::text::tid`
	for from := int64(0); err == nil && from < blocks; from += stride {
		n := 0
		err = run(func(tx *pg.Tx) error {
			rows, err := tx.Query(ctx, find, fmt.Sprintf("(%d,0)", from), fmt.Sprintf("(%d,0)", from+stride))
			if err != nil {
				return err
			}
			found, err := collect(rows)
			n = len(found)
			for _, row := range found {
				if err := open(tx, row.name, row.value); err != nil {
					return fmt.Errorf("row %s: %w", row.name, err)
				}
			}
			return err
		})
		total += n
	}
	return total, err
}
