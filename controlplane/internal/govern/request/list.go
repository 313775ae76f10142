package request

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// List gives a page of the requests that the viewer may see, and how many there are.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f accessrequest.Filters,
	page pg.Page,
) (items []accessrequest.AccessRequest, total int64, err error) {
	q, err := f.Query(v)
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if items, total, err = listing.Fetch[accessrequest.AccessRequest](ctx, tx, q, page); err != nil {
			return err
		}
		return accessrequest.Complete(ctx, tx, items)
	})
	return items, total, err
}

// Read gives one request.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (found accessrequest.AccessRequest, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err = accessrequest.Find(ctx, tx, id)
		return err
	})
	return found, err
}
