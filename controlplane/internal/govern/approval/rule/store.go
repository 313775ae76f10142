package rule

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// LoadBook reads the rules of the tenant.
func LoadBook(ctx context.Context, tx *pg.Tx) (*Book, error) {
	const sql = `
		select r.id::text, r.name, r.version, r.enabled, r.priority, r.applies_to as applies, r.branches, r.terms
		  from approval_rule r`
	list, err := pg.AllBy(ctx, tx, "read approval rules", pgx.RowToAddrOfStructByNameLax[Rule], sql)
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		r.read()
	}
	return NewBook(list), nil
}
