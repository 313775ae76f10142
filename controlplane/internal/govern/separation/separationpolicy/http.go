package separationpolicy

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const base = "/policies/separation-of-duties"

const (
	aboutPolicies = "A separation-of-duties policy says which duties one person must not perform together, or which " +
		"duty requires another one. It names duties on its sides; see /policies/duties. A draft is not evaluated. " +
		"In shadow mode the policy is evaluated and prevents nothing. A policy is blind while a side has no duty " +
		"that a person could perform."
	aboutUpdate = "sides is replaced as a whole. Two policies that together forbid everybody a duty are refused with " +
		"the code contradiction, unless one of them is a draft or disabled."
)

// Routes are the paths under /policies/separation-of-duties. Administrators write; auditors read.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("GET", base, "List separation-of-duties policies", s.list).For(both...).Describe(aboutPolicies),
		httpapi.Handle("POST", base, "Create a separation-of-duties policy", s.post).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutPolicies),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a separation-of-duties policy", s.one).For(both...),
		httpapi.Handle("PATCH", base+"/{id}", "Update a separation-of-duties policy", s.patch).
			For(viewer.Admin).
			Errors(409, 412).
			Describe(aboutUpdate),
		httpapi.Handle("DELETE", base+"/{id}", "Delete a separation-of-duties policy", s.remove).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(412),
		httpapi.Handle("GET", base+"/{id}/versions", "List the versions of a separation-of-duties policy", s.versions).
			For(both...),
		httpapi.Handle("POST", base+"/{id}/enable", "Enable a separation-of-duties policy", s.enable).
			For(viewer.Admin).
			Status(200).
			Errors(412),
		httpapi.Handle("POST", base+"/{id}/disable", "Disable a separation-of-duties policy", s.disable).
			For(viewer.Admin).
			Status(200).
			Errors(412),
		httpapi.Handle("POST", base+"/{id}/mode", "Set the mode of a separation-of-duties policy", s.mode).
			For(viewer.Admin).
			Status(200).
			Errors(412),
	}
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	Filters
}

// list is GET of the policies.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Policy], error) {
	walk, err := s.Cursors.Walk(v, "separation-policies", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.After), err
}

type idIn struct {
	// ID of the policy.
	ID string `path:"id"`
}

// one is GET of a policy.
func (s *Service) one(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[Policy], error) {
	return shown(s.Read(ctx, v, in.ID))
}

// shown is the response with a policy and its version as ETag.
func shown(p Policy, err error) (*httpapi.One[Policy], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Policy]{ETag: httpapi.ETag(p.Version), Body: p}, nil
}

// postIn is the input of post. RawBody tells an absent member from one that is empty.
type postIn struct {
	Body    Fields
	RawBody []byte
}

// Sent returns the fields of a request's body. A policy is enabled unless the body says otherwise.
func Sent(f Fields, raw []byte) Fields {
	var given struct {
		Enabled *bool `json:"enabled"`
	}
	if json.Unmarshal(raw, &given) == nil && given.Enabled == nil {
		f.Enabled = true
	}
	return f
}

// post is POST of a policy.
func (s *Service) post(ctx context.Context, v viewer.Viewer, in *postIn) (*httpapi.Created[Policy], error) {
	made, err := s.Create(ctx, v, New{Fields: Sent(in.Body, in.RawBody)})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Policy]{
		Location: httpapi.Prefix + base + "/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

type patchIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    Fields
	RawBody []byte
}

// patch is PATCH of a policy (RFC 7396).
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[Policy], error) {
	return shown(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

type matchIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.IfMatch
}

// remove is DELETE of a policy.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.Delete(ctx, v, in.ID, in.IfMatch)
}

// enable is POST …/enable.
func (s *Service) enable(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[Policy], error) {
	return shown(s.set(ctx, v, in.ID, in.IfMatch, "separation_policy.enabled", func(f *Fields) { f.Enabled = true }))
}

// disable is POST …/disable.
func (s *Service) disable(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[Policy], error) {
	return shown(s.set(ctx, v, in.ID, in.IfMatch, "separation_policy.disabled", func(f *Fields) { f.Enabled = false }))
}

type separationModeIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		// New mode of the policy. A draft is not evaluated. In shadow the policy is evaluated and prevents nothing. In
		// enforce its effects apply.
		Mode string `json:"mode" enum:"draft,shadow,enforce"`
	}
}

// mode is POST …/mode.
func (s *Service) mode(ctx context.Context, v viewer.Viewer, in *separationModeIn) (*httpapi.One[Policy], error) {
	return shown(s.set(ctx, v, in.ID, in.IfMatch, "separation_policy.mode_changed",
		func(f *Fields) { f.Mode = in.Body.Mode }))
}

type versionsIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.Paging
}

// versions is GET of the versions of a policy, the newest first.
func (s *Service) versions(
	ctx context.Context,
	v viewer.Viewer,
	in *versionsIn,
) (*httpapi.ListOut[SeparationPolicyVersion], error) {
	walk, err := s.Cursors.Walk(v, "separation-policy-versions", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	var items []SeparationPolicyVersion
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if _, err = Locked(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		items, total, err = Versions(ctx, tx, in.ID, walk.Page)
		return err
	})
	after := func(v SeparationPolicyVersion) []string { return []string{strconv.Itoa(v.Version)} }
	return httpapi.Out(walk, items, total, after), err
}
