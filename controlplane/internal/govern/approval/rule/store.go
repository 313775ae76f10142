package rule

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// LoadBook reads the rules of the tenant.
func LoadBook(ctx context.Context, tx *pg.Tx) (*Book, error) {
	const sql = `
		select r.id::text, r.name, r.version, r.enabled, r.priority, r.applies_to as applies, r.branches, r.terms
		  from approval_rule r`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, fmt.Errorf("read approval rules: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByNameLax[Rule])
	if err != nil {
		return nil, fmt.Errorf("read approval rules: %w", err)
	}
	for _, r := range list {
		r.read()
	}
	return NewBook(list), nil
}
