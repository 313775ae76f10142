package tenant

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

type listIn struct {
	httpapi.Paging
	// Tenants with this status.
	Status string `query:"status" enum:"active,suspended,closing"`
	// Words, each of which is part of the slug or the name, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
}

// list is GET /tenants, across all tenants.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Tenancy], error) {
	walk, err := s.Cursors.Walk(v, "tenants", in.Paging, []string{in.Status, in.Q})
	if err != nil {
		return nil, err
	}
	q := &listing.Query{
		Columns: columns,
		From:    "tenant t",
		ID:      "t.id",
		Order:   listing.Order{Column: "t.created_at", Type: "timestamptz"},
	}
	q.Equal("t.status", "status", in.Status)
	q.Search(in.Q, "t.slug", "t.name")
	var rows []Tenant
	var total int64
	err = s.DB.Across(ctx, func(tx *pg.Tx) (err error) {
		rows, total, err = listing.Fetch[Tenant](ctx, tx, q, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	items := make([]Tenancy, len(rows))
	for i, t := range rows {
		t.Settings.Fill()
		items[i] = s.resource(t)
	}
	return httpapi.Out(walk, items, total, func(r Tenancy) []string {
		return []string{r.CreatedAt.Format(time.RFC3339Nano), r.ID}
	}), nil
}

type oneIn struct {
	// ID of the tenant.
	ID string `path:"id"`
}

// visit opens a transaction of an operator in a tenant. An id that is none is a tenant that there is not.
func (s *Service) visit(ctx context.Context, v viewer.Viewer, id string, do func(tx *pg.Tx) error) error {
	if !listing.IsID(id) {
		return fault.New(fault.NotFound, "Tenant %s was not found.", id)
	}
	return s.DB.As(ctx, visiting(v, id), do)
}

// read is GET of one tenant with the numbers of what it has.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (*found, error) {
	var t Tenant
	var n Holdings
	err := s.visit(ctx, v, in.ID, func(tx *pg.Tx) (err error) {
		if t, err = Find(ctx, tx); err != nil {
			return err
		}
		n, err = count(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := s.answer(t)
	out.Body.Counts = &n
	return out, nil
}

// count is one statement; row security leaves nothing but the transaction's tenant.
func count(ctx context.Context, tx *pg.Tx) (n Holdings, err error) {
	const sql = `
		select (select count(*) from app_user),
		       (select count(*) from identity where status <> 'archived'),
		       (select count(*) from connector where deleted_at is null),
		       (select count(*) from agent where state <> 'revoked')`
	if err := tx.QueryRow(ctx, sql).Scan(&n.Users, &n.Identities, &n.Connectors, &n.Agents); err != nil {
		return Holdings{}, fmt.Errorf("count what the tenant has: %w", err)
	}
	return n, nil
}
