package access

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// Service answers for entitlements and grants. All fields but Say are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
	Say     func(condition []byte) string // tells whom a rule is for, in words; empty when it cannot. Without it nobody is told
}

// List gives a page of entitlements with their counts, and how many there are.
func (s *Service) List(ctx context.Context, v viewer.Viewer, f Filters, page pg.Page) (items []Entitlement, total int64, err error) {
	q, err := f.query(v)
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if items, total, err = listing.Fetch[Entitlement](ctx, tx, q, page); err != nil {
			return err
		}
		return countMembers(ctx, tx, items)
	})
	return items, total, err
}

// Read gives one entitlement with its nesting.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (d EntitlementDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		d, err = detail(ctx, tx, id)
		return err
	})
	return d, err
}

func detail(ctx context.Context, tx *pg.Tx, id string) (d EntitlementDetail, err error) {
	if d.Entitlement, err = Find(ctx, tx, id); err != nil {
		return d, err
	}
	if d.Parents, err = nested(ctx, tx, parentsOf, id); err != nil {
		return d, err
	}
	d.Children, err = nested(ctx, tx, childrenOf, id)
	return d, err
}

// Patch applies a merge patch to what an administrator may write of an entitlement.
func (s *Service) Patch(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, body []byte) (patched EntitlementDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, id, " for update of e")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		changes, err := s.apply(ctx, tx, before, body)
		if err != nil {
			return err
		}
		if patched, err = detail(ctx, tx, id); err != nil || len(changes) == 0 {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "entitlement.updated", Changes: changes,
			Subject: audit.Subject{Type: "entitlement", ID: id, Display: before.Name}})
	})
	return patched, err
}

// apply writes what the patch changes, and tells it.
func (s *Service) apply(ctx context.Context, tx *pg.Tx, before Entitlement, body []byte) ([]audit.Change, error) {
	after, err := mergepatch.Apply(before.EntitlementFields, body)
	if err != nil {
		return nil, err
	}
	if err := after.complete(before.Description); err != nil {
		return nil, err
	}
	changes, err := mergepatch.Diff(before.EntitlementFields, after)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	if err := directory.CheckPeople(ctx, tx, "owner_ids", after.OwnerIDs...); err != nil {
		return nil, err
	}
	return changes, store(ctx, tx, before.ID, after, s.Now())
}
