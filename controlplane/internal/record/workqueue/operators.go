package workqueue

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// TenantWork says how the work of one tenant stands.
type TenantWork struct {
	// ID of the tenant.
	TenantID string `json:"tenant_id" db:"tenant_id"`
	// Slug of the tenant.
	Slug string `json:"slug" db:"slug"`
	// Display name of the tenant.
	Name string `json:"name" db:"name"`
	// Only the work of active tenants is done.
	Status string `json:"status" db:"status" enum:"active,suspended,closing"`
	// Counts of the tenant's work items by kind.
	Kinds []TenantWorkKind `json:"kinds" db:"kinds" nullable:"false"`
}

// TenantWorkKind says how the work of one kind stands in one tenant.
type TenantWorkKind struct {
	// Kind of the work.
	Kind string `json:"kind"`
	// Name of the kind.
	Title string `json:"title"`
	// Items that wait, for their first attempt or another one.
	Waiting int64 `json:"waiting"`
	// Dead letters: items that failed eight times and are not tried again.
	Dead int64 `json:"dead"`
	// When the first waiting item is due.
	OldestDueAt *time.Time `json:"oldest_due_at"`
	// For how long this item has been due; 0 if it is not due yet.
	OverdueSeconds int64 `json:"overdue_seconds"`
}

// tenantsIn is the input of the list of tenants with work.
type tenantsIn struct {
	httpapi.Paging
	// Tenants with items of this kind.
	Kind string `query:"kind" maxLength:"100"`
	// Tenants with items in this state.
	State string `query:"state" enum:"waiting,dead"`
}

// counted are a tenant's items by kind.
const counted = `
	(select coalesce(jsonb_agg(k order by k.kind), '[]')
	   from (select ` + counts + `
	           from work_item w
	          where w.tenant_id = t.id
	          group by w.kind) k) as kinds`

func (s *Service) tenants(
	ctx context.Context,
	v viewer.Viewer,
	in *tenantsIn,
) (*httpapi.ListOut[TenantWork], error) {
	walk, err := s.Cursors.Walk(v, "work-of-tenants", in.Paging, []string{in.Kind, in.State})
	if err != nil {
		return nil, err
	}
	q := &listing.Query{
		Columns: "t.id::text as tenant_id, t.slug, t.name, t.status, " + counted,
		From:    "tenant t",
		ID:      "t.id",
		Order:   listing.Order{Column: "t.slug", Type: "text"},
	}
	q.Where(`exists (select from work_item w
	                  where w.tenant_id = t.id
	                    and (@kind = '' or w.kind = @kind)
	                    and (@state = '' or w.state = @state))`, pgx.NamedArgs{"kind": in.Kind, "state": in.State})
	var rows []TenantWork
	var total int64
	err = s.DB.Across(ctx, func(tx *pg.Tx) (err error) {
		rows, total, err = listing.Fetch[TenantWork](ctx, tx, q, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, t := range rows {
		for i := range t.Kinds {
			k, _ := s.kind(t.Kinds[i].Kind)
			t.Kinds[i].Title = k.Title
		}
	}
	return httpapi.Out(walk, rows, total, func(t TenantWork) []string { return []string{t.Slug, t.TenantID} }), nil
}

// OperatedJobs are all periodic jobs. Their number is that of the code's, so they are not paged.
type OperatedJobs struct {
	// All periodic jobs of the deployment.
	Items []OperatedWork `json:"items" nullable:"false"`
}

// jobs is GET of the recurring work of the deployment.
func (s *Service) jobs(ctx context.Context, _ viewer.Viewer, _ *struct{}) (*httpapi.One[OperatedJobs], error) {
	var out OperatedJobs
	err := s.DB.Across(ctx, func(tx *pg.Tx) (err error) {
		out.Items, err = s.recurring(ctx, tx)
		return err
	})
	return &httpapi.One[OperatedJobs]{Body: out}, err
}
