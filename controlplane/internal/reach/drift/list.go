package drift

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// shaped joins accounts with their last comparison.
const shaped = " join account_shape s on s.tenant_id = a.tenant_id and s.account_id = a.id"

// drifted accounts are managed, are there, and have something that their template does not make.
const drifted = `s.drift <> '[]' and a.managed = 'managed' and a.status in ('active', 'disabled', 'locked')`

// Count counts the drifted accounts that the transaction's viewer may list.
func Count(ctx context.Context, tx *pg.Tx) (n int64, err error) {
	if err := tx.QueryRow(ctx, `select count(*) from `+listing.Listed(tx.Viewer, "account",
		"a")+shaped+` where `+drifted).
		Scan(&n); err != nil {
		return 0, fmt.Errorf("count drifted accounts: %w", err)
	}
	return n, nil
}

// list is GET of the accounts with drift, as far as the viewer may see them.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[DriftedAccount], error) {
	walk, err := s.Cursors.Walk(v, "accounts/drifted", in.Paging, in.DriftFilters)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{
		Columns: "a.id as account_id, a.connector_id, a.identity_id, a.username, s.drift, s.looked_at",
		From:    listing.Among(v, "account", "a") + shaped, Counted: listing.Listed(v, "account", "a") + shaped,
		ID: "a.id", Order: listing.Order{Column: "a.id", Type: "uuid"},
	}
	q.Where(drifted, nil)
	q.Equal("s.connector_id", "connector_id", in.ConnectorID)
	q.Equal("a.identity_id", "identity_id", in.IdentityID)
	if in.Field != "" {
		q.Where(
			"exists (select from jsonb_array_elements(s.drift) d where lower(d ->> 'field') = lower(@field))",
			pgx.NamedArgs{"field": in.Field},
		)
	}
	var items []DriftedAccount
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = listing.Fetch[DriftedAccount](ctx, tx, q, walk.Page)
		return err
	})
	return httpapi.Out(
		walk,
		items,
		total,
		func(d DriftedAccount) []string { return []string{d.AccountID, d.AccountID} },
	), err
}
