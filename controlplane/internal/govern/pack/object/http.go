package object

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// objectsIn is the input of listObjects.
type objectsIn struct {
	installation.PackKey
	httpapi.Paging
	ObjectFilters
}

// ObjectFilters narrow the list of objects.
type ObjectFilters struct {
	// Objects of this kind.
	Kind string `query:"kind" maxLength:"64"`
	// Objects in this state.
	State string `query:"state" enum:"installed,pending_binding,conflict,skipped,leaving"`
}

// listObjects is GET of an installation's objects, with what the tenant has changed of each.
func (s *Service) listObjects(
	ctx context.Context,
	v viewer.Viewer,
	in *objectsIn,
) (*httpapi.ListOut[InstalledObject], error) {
	walk, err := s.Cursors.Walk(v, "sector-packs/"+in.Key+"/objects", in.Paging, in.ObjectFilters)
	if err != nil {
		return nil, err
	}
	var items []InstalledObject
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		i, err := installation.Find(ctx, tx, in.Key)
		if err != nil {
			return err
		}
		items, total, err = listed(ctx, tx, i.ID, in.ObjectFilters, walk.Page)
		return err
	})
	return httpapi.Out(
		walk,
		items,
		total,
		func(o InstalledObject) []string { return []string{o.Kind, o.ObjectKey} },
	), err
}

// Service lists the objects of installations. It needs all fields.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
}

const aboutObjects = "pristine: the object is unchanged since the pack created it. Selectors without a match are " +
	"bound automatically when a sync adds a matching entitlement."

// Routes is the path of the objects of an installation. Administrators and auditors read it.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", installation.PackPath+"/objects", "List the objects of a sector pack", s.listObjects).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutObjects),
	}
}
