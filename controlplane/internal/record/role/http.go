package role

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const base = "/entitlements/roles"

const (
	aboutRoles = "A role is a bundle of entitlements of any number of systems, and of other roles. People who have " +
		"the role, by its membership rule, a policy, a request or a direct assignment, have a reason for each of its " +
		"entitlements. When its contents change, their access follows. Administrators and auditors see all roles; " +
		"other users see the roles that they own."
	aboutPatch = "Conditions are replaced as a whole. A change of a role in use that gives or takes much, or touches " +
		"high risk, is 409 publish_required: write it into the draft, and publish that. " +
		"Owners may write compliance_tags, description, duty_tags, labels and requestable, and raise risk_level. A " +
		"role of an imported file is 409 managed_by_code unless detach=true makes it the tenant's own."
	aboutDelete = "The role is retired: it stops granting access, and keeps its key and its history. While people " +
		"have access through it, the response is 409 role_in_use; force ends their reasons."
)

// Routes are the paths under /entitlements/roles. Administrators write; auditors read; owners read theirs, and write a
// part.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", base, "List roles", s.list).Describe(aboutRoles),
		httpapi.Handle("POST", base, "Create a role", s.post).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutRoles),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a role", s.one),
		httpapi.Handle("PATCH", base+"/{id}", "Update a role", s.patchOne).Errors(409, 412).Describe(aboutPatch),
		httpapi.Handle("DELETE", base+"/{id}", "Delete a role", s.remove).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe(aboutDelete),
	}
}

type listIn struct {
	httpapi.Paging
	Filters
}

func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Role], error) {
	walk, err := s.Cursors.Walk(v, "roles", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.after), err
}

type idIn struct {
	ID string `path:"id"`
}

func (s *Service) one(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[Role], error) {
	return shown(s.Read(ctx, v, in.ID))
}

func shown(r Role, err error) (*httpapi.One[Role], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Role]{ETag: httpapi.ETag(r.Version), Body: r}, nil
}

type postIn struct {
	Body struct {
		// Small letters, digits, points, hyphens and underscores; made of the name when absent.
		Key string `json:"key,omitempty" maxLength:"100" example:"finance-clerk"`
		RoleFields
	}
}

func (s *Service) post(ctx context.Context, v viewer.Viewer, in *postIn) (*httpapi.Created[Role], error) {
	made, err := s.Create(ctx, v, New{Key: in.Body.Key, RoleFields: in.Body.RoleFields})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Role]{
		Location: httpapi.Prefix + base + "/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

// RolePatch is a merge patch of what can be changed of a role: a label that becomes null is taken away.
type RolePatch struct {
	RoleFields
	// null takes a label away.
	Labels map[string]*string `json:"labels,omitempty"`
}

type patchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	// Detach a role from the imported file, and make it the tenant's own.
	Detach  bool `query:"detach"`
	Body    RolePatch
	RawBody []byte
}

func (s *Service) patchOne(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[Role], error) {
	return shown(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody, in.Detach))
}

type removeIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	// Retire it although people hold something through it; their reasons end.
	Force bool `query:"force"`
}

func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *removeIn) (*httpapi.None, error) {
	return nil, s.Delete(ctx, v, in.ID, in.IfMatch, in.Force)
}
