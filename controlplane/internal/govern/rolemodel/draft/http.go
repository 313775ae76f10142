package draft

import (
	"context"
	"net/http"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

type idIn struct {
	// ID of the role.
	ID string `path:"id"`
}

// shownDraft is the response with a draft and its version as ETag.
func shownDraft(d RoleDraft, err error) (*httpapi.One[RoleDraft], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[RoleDraft]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

// draft is GET …/draft.
func (s *Service) draft(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[RoleDraft], error) {
	return shownDraft(s.Draft(ctx, v, in.ID))
}

type patchDraftIn struct {
	// ID of the role.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    role.RolePatch
	RawBody []byte
}

// patchDraft is PATCH …/draft.
func (s *Service) patchDraft(ctx context.Context, v viewer.Viewer, in *patchDraftIn) (*httpapi.One[RoleDraft], error) {
	return shownDraft(s.PatchDraft(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

// dropDraft is DELETE …/draft.
func (s *Service) dropDraft(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.None, error) {
	return nil, s.DropDraft(ctx, v, in.ID)
}

type versionsIn struct {
	// ID of the role.
	ID string `path:"id"`
	httpapi.Paging
}

// versions is GET of the versions of a role, the newest first.
func (s *Service) versions(
	ctx context.Context,
	v viewer.Viewer,
	in *versionsIn,
) (*httpapi.ListOut[RoleVersion], error) {
	walk, err := s.Cursors.Walk(v, "role-versions", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	items, total, err := s.Versions(ctx, v, in.ID, walk.Page)
	return httpapi.Out(
		walk,
		items,
		total,
		func(v RoleVersion) []string { return []string{strconv.Itoa(v.Version)} },
	), err
}

type diffIn struct {
	// ID of the role.
	ID string `path:"id"`
	// Version to compare from. The default is the one before to.
	From int `query:"from" minimum:"0" maximum:"1000000000"`
	// Version to compare to. The default is the newest version.
	To int `query:"to" minimum:"0" maximum:"1000000000"`
}

// diff is GET …/diff.
func (s *Service) diff(ctx context.Context, v viewer.Viewer, in *diffIn) (*httpapi.One[RoleDiff], error) {
	out, err := s.Diff(ctx, v, in.ID, in.From, in.To)
	return &httpapi.One[RoleDiff]{Body: out}, err
}

// Service reads and changes the drafts of roles, and reads their versions. It needs all fields.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Roles   *role.Service
}

const aboutDraft = "The working copy of an active role. It has no effect until it is published. The first change " +
	"creates it from the current role. Conditions are replaced as a whole."

// Routes are the drafts and versions of roles. Administrators change drafts; who sees a role reads them.
func (s *Service) Routes() []httpapi.Route {
	const base = "/entitlements/roles"
	return []httpapi.Route{
		httpapi.Handle("GET", base+"/{id}/draft", "Retrieve a role draft", s.draft).Describe(aboutDraft),
		httpapi.Handle("PATCH", base+"/{id}/draft", "Update a role draft", s.patchDraft).
			For(viewer.Admin).
			Errors(409, 412).
			Describe(aboutDraft),
		httpapi.Handle("DELETE", base+"/{id}/draft", "Delete a role draft", s.dropDraft).
			For(viewer.Admin).
			Status(http.StatusNoContent),
		httpapi.Handle("GET", base+"/{id}/versions", "List the versions of a role", s.versions),
		httpapi.Handle("GET", base+"/{id}/diff", "Compare two versions of a role", s.diff).
			Describe("Without to, the newest version; without from, the version before to."),
	}
}
