package onboard

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/onboard/schemadiff"
)

type diffsIn struct {
	ID string `path:"id"`
	httpapi.Paging
	State string `query:"state" enum:"open,accepted,partially_accepted,dismissed"`
}

func (s *Service) diffs(
	ctx context.Context,
	v viewer.Viewer,
	in *diffsIn,
) (*httpapi.ListOut[schemadiff.SchemaDiff], error) {
	walk, err := s.Cursors.Walk(v, "schema_diffs."+in.ID, in.Paging, in.State)
	if err != nil {
		return nil, err
	}
	var items []schemadiff.SchemaDiff
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if _, err := connector.Find(ctx, tx, in.ID); err != nil {
			return err
		}
		items, total, err = schemadiff.List(ctx, tx, in.ID, in.State, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(
		walk,
		items,
		total,
		func(d schemadiff.SchemaDiff) []string { return []string{d.CreatedAt.Format(time.RFC3339Nano), d.ID} },
	), nil
}

// findDiff reads a diff of a connector. Its fault is of kind NotFound where there is no such connector, or the
// connector has no such diff.
func findDiff(ctx context.Context, tx *pg.Tx, connectorID, id, locking string) (schemadiff.SchemaDiff, error) {
	if _, err := connector.Find(ctx, tx, connectorID); err != nil {
		return schemadiff.SchemaDiff{}, err
	}
	return schemadiff.Find(ctx, tx, connectorID, id, locking)
}

type diffIn struct {
	ID     string `path:"id"`
	DiffID string `path:"diff_id"`
}

func (s *Service) diff(ctx context.Context, v viewer.Viewer, in *diffIn) (*httpapi.One[schemadiff.SchemaDiff], error) {
	var d schemadiff.SchemaDiff
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		d, err = findDiff(ctx, tx, in.ID, in.DiffID, "")
		return err
	})
	return shown(d, err)
}

func shown(d schemadiff.SchemaDiff, err error) (*httpapi.One[schemadiff.SchemaDiff], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[schemadiff.SchemaDiff]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}
