package entitlement

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement/fields"
)

// Routes are the paths under /entitlements that read and change entitlements.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/entitlements", "List entitlements", s.list),
		httpapi.Handle("GET", "/entitlements/{id}", "Retrieve an entitlement", s.read),
		httpapi.Handle("PATCH", "/entitlements/{id}", "Update an entitlement", s.patch).
			For(viewer.Admin, viewer.ResourceOwner).
			Errors(412).
			Describe(aboutPatch),
		httpapi.Handle("GET", "/entitlements/{id}/hierarchy", "Get an entitlement's hierarchy", s.hierarchy).
			Describe(aboutHierarchy),
		httpapi.Handle("POST", "/entitlements/{id}/owners", "Set entitlement owners", s.owners).For(viewer.Admin),
		httpapi.Handle("POST", "/entitlements/{id}/retire", "Retire an entitlement", s.retire).
			For(viewer.Admin).
			Errors(409).
			Describe(aboutRetire),
		httpapi.Handle("POST", "/entitlements/bulk-update", "Update entitlements in bulk", s.bulkUpdate).
			For(viewer.Admin).
			Describe(aboutBulkUpdate),
	}
}

const (
	aboutPatch = "Administrators can change all members. Resource owners can change the description of their " +
		"entitlements: texts, tags and requestable; they can raise the risk and shorten durations."
	aboutHierarchy = "Nested groups as in the target system, in both directions with the number of steps. A cycle " +
		"of groups is reported: members of one of them are members of all."
	aboutRetire = "The entitlement can no longer be assigned, and roles no longer assign it. With dry_run the " +
		"impact is returned and nothing is written."
	aboutBulkUpdate = "At most 500, by ids or by a filter. Entitlements that cannot be changed are returned with the " +
		"reason."
)

type listIn struct {
	httpapi.Paging
	Filters
}

func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Entitlement], error) {
	walk, err := s.Cursors.Walk(v, "entitlements", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.after), err
}

type one struct {
	ID string `path:"id"`
}

type answer[T any] struct {
	Body T
}

func (s *Service) read(ctx context.Context, v viewer.Viewer, in *one) (*httpapi.One[EntitlementDetail], error) {
	return detailOut(s.Read(ctx, v, in.ID))
}

type patchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body    fields.EntitlementFields
	RawBody []byte
}

func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[EntitlementDetail], error) {
	return detailOut(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

func detailOut(d EntitlementDetail, err error) (*httpapi.One[EntitlementDetail], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[EntitlementDetail]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}
