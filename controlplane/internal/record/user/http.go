package user

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	aboutCreate = "The user is invited: the response contains the token of a one-time link, valid for an hour, with " +
		"which they set a password (POST /auth/sign-in-link)."
	aboutPatch = "A JSON merge patch (RFC 7396). It has effect at once: a removed role ends with the next request. " +
		"Users cannot give themselves a role, " +
		"disable themselves, or remove the last active administrator of a tenant (409 last_admin). Disabling a user " +
		"deletes their passkeys."
	aboutDelete = "Every way to sign in, the name, the address and the roles are erased. The id stays, because the " +
		"audit log refers to it."
	aboutInvite = "Creates a new link and invalidates the previous one. Administrators also use it to reset a password."
	aboutMFA    = "Removes the second factor and the passkeys, and ends all sessions, so that the user can set up " +
		"others."
)

// Routes are the paths under /settings/users. Administrators write; auditors read as well.
func (s *Service) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		httpapi.Handle("GET", "/settings/users", "List users", s.list).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("POST", "/settings/users", "Invite a user", s.create).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutCreate),
		httpapi.Handle("GET", "/settings/users/{id}", "Retrieve a user", s.read).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("PATCH", "/settings/users/{id}", "Update a user", s.patch).
			For(viewer.Admin).
			Errors(409, 412).
			Describe(aboutPatch),
		httpapi.Handle("DELETE", "/settings/users/{id}", "Delete a user", s.remove).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe(aboutDelete),
		httpapi.Handle("POST", "/settings/users/{id}/invite", "Create a sign-in link", s.inviteAgain).
			For(viewer.Admin).
			Errors(409).
			Describe(aboutInvite),
		httpapi.Handle("POST", "/settings/users/{id}/sessions/revoke", "Revoke a user's sessions", s.revokeSessions).
			For(viewer.Admin),
		httpapi.Handle("POST", "/settings/users/{id}/mfa/reset", "Reset a user's second factor", s.resetMFA).
			For(viewer.Admin).
			Errors(409).
			Describe(aboutMFA),
	}
	for i := range routes {
		routes[i] = routes[i].Tag("settings").Scope("users")
	}
	return routes
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	Filters
}

// list is GET /settings/users.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[User], error) {
	walk, err := s.Cursors.Walk(v, "users", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	var items []placed
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = list(ctx, tx, in.Filters, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	return withoutPlaces(
		httpapi.Out(walk, items, total, func(p placed) []string { return []string{p.place, p.ID} }),
	), nil
}

// withoutPlaces drops the sort keys, which only the cursor needs.
func withoutPlaces(in *httpapi.ListOut[placed]) *httpapi.ListOut[User] {
	out := &httpapi.ListOut[User]{}
	out.Body.Items = make([]User, 0, len(in.Body.Items))
	for _, p := range in.Body.Items {
		out.Body.Items = append(out.Body.Items, p.User)
	}
	out.Body.Total, out.Body.Limit, out.Body.Offset, out.Body.NextCursor = in.Body.Total, in.Body.Limit, in.Body.Offset,
		in.Body.NextCursor
	return out
}

// createIn is the input of create.
type createIn struct{ Body NewUser }

// create is POST /settings/users. The response has the invitation, which is shown once.
func (s *Service) create(ctx context.Context, v viewer.Viewer, in *createIn) (*httpapi.Created[InvitedUser], error) {
	u, err := s.Create(ctx, v, in.Body)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[InvitedUser]{
		Location: httpapi.Prefix + "/settings/users/" + u.ID,
		ETag:     httpapi.ETag(u.Version),
		Body:     u,
	}, nil
}

type oneIn struct {
	// ID of the user.
	ID string `path:"id"`
}

// read is GET of one user.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[User], error) {
	var u User
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		u, err = Find(ctx, tx, in.ID)
		return err
	})
	return shown(u, err)
}

type patchIn struct {
	// ID of the user.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    UserPatch
	RawBody []byte
}

// patch is PATCH of a user (RFC 7396).
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[User], error) {
	return shown(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

type removeIn struct {
	// ID of the user.
	ID string `path:"id"`
	httpapi.IfMatch
}

// remove is DELETE of a user.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *removeIn) (*httpapi.None, error) {
	return nil, s.Delete(ctx, v, in.ID, in.IfMatch)
}

// inviteAgain is POST …/invite: a new sign-in link; the earlier one no longer works.
func (s *Service) inviteAgain(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[InvitedUser], error) {
	u, err := s.Invite(ctx, v, in.ID)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[InvitedUser]{ETag: httpapi.ETag(u.Version), Body: u}, nil
}

// EndedSessions answers POST /settings/users/{id}/sessions/revoke.
type EndedSessions struct {
	// How many were ended.
	Sessions int64 `json:"sessions" example:"2"`
}

// revokeSessions is POST …/sessions/revoke.
func (s *Service) revokeSessions(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[EndedSessions], error) {
	ended, err := s.RevokeSessions(ctx, v, in.ID)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[EndedSessions]{Body: EndedSessions{Sessions: ended}}, nil
}

// resetMFA is POST …/mfa/reset.
func (s *Service) resetMFA(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[User], error) {
	return shown(s.ResetMFA(ctx, v, in.ID))
}

// shown is the response with a user and its version as ETag.
func shown(u User, err error) (*httpapi.One[User], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[User]{ETag: httpapi.ETag(u.Version), Body: u}, nil
}
