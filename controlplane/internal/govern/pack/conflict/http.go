package conflict

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// conflictsIn is the input of listConflicts.
type conflictsIn struct {
	installation.PackKey
	httpapi.Paging
	ConflictFilters
}

// ConflictFilters narrow the list of conflicts.
type ConflictFilters struct {
	// Conflicts in this state.
	State string `query:"state" enum:"open,resolved,superseded"`
}

// listConflicts is GET of an installation's conflicts.
func (s *Service) listConflicts(
	ctx context.Context,
	v viewer.Viewer,
	in *conflictsIn,
) (*httpapi.ListOut[installation.PackConflict], error) {
	walk, err := s.Cursors.Walk(v, "sector-packs/"+in.Key+"/conflicts", in.Paging, in.ConflictFilters)
	if err != nil {
		return nil, err
	}
	var items []installation.PackConflict
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		i, err := installation.Find(ctx, tx, in.Key)
		if err != nil {
			return err
		}
		items, total, err = list(ctx, tx, i.ID, in.State, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, func(c installation.PackConflict) []string { return []string{c.ID} }), err
}

type resolveIn struct {
	// ID of the conflict.
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		// Resolution: mine keeps the values of the tenant, theirs applies those of the sector pack, merged applies
		// those in merged.
		Use string `json:"use" enum:"mine,theirs,merged"`
		// With use merged: the fields and what they are to be.
		Merged map[string]any `json:"merged,omitempty"`
	}
}

// resolveConflict is POST …/resolve. If-Match guards against a conflict that was resolved
// meanwhile.
func (s *Service) resolveConflict(
	ctx context.Context,
	v viewer.Viewer,
	in *resolveIn,
) (*httpapi.One[installation.PackConflict], error) {
	c, err := s.resolve(ctx, v, in.ID, in.Body.Use, in.Body.Merged, in.Check)
	return &httpapi.One[installation.PackConflict]{ETag: httpapi.ETag(c.Version), Body: c}, err
}

// Service lists and resolves the conflicts of installations. It needs all fields; Cursors only for its routes.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	// Bind binds what the installation with this id waits for. A role that was in conflict may be what policies wait
	// for.
	Bind func(ctx context.Context, tx *pg.Tx, installationID string) error
}

const aboutResolve = "mine keeps the tenant's values. theirs sets the fields in conflict to the values of the pack. " +
	"merged sets them to the values in the request."

// Routes are the paths of conflicts. Administrators resolve them; auditors read.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", installation.PackPath+"/conflicts", "List sector pack conflicts", s.listConflicts).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("POST", installation.Path+"/conflicts/{id}/resolve", "Decide a sector pack conflict",
			s.resolveConflict).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutResolve),
	}
}
