package role

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// Service answers for roles. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
}

// List gives a page of roles, and how many there are.
func (s *Service) List(ctx context.Context, v viewer.Viewer, f Filters, page pg.Page) (items []Role, total int64, err error) {
	q, err := f.query()
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if items, total, err = listing.Fetch[Role](ctx, tx, q, page); err != nil {
			return err
		}
		return countHolders(ctx, tx, items)
	})
	return items, total, err
}

// Read gives one role.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (found Role, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err = Find(ctx, tx, id)
		return err
	})
	return found, err
}

// Create makes a role.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n New) (made Role, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		made, err = Create(ctx, tx, n)
		return err
	})
	return made, err
}

// Patch applies a merge patch.
func (s *Service) Patch(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, body []byte) (changed Role, err error) {
	if err := mergepatch.Keep(body, "name", "role_type", "lifecycle", "owner_ids", "entitlement_ids"); err != nil {
		return changed, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, "r.id = @id", id, " for update of r")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		after, err := mergepatch.Apply(before.RoleFields, body)
		if err != nil {
			return err
		}
		changed, err = change(ctx, tx, before, after)
		return err
	})
	return changed, err
}

// Delete retires a role.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, force bool) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, "r.id = @id", id, " for update of r")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		return Retire(ctx, tx, id, force)
	})
}
