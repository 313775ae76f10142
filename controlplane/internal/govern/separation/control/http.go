package control

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const base = "/policies/mitigation"

const (
	aboutControls = "A mitigating control compensates for violations of separation-of-duties policies. It says which " +
		"violations it can be applied to, for how long, who approves that, and which evidence is due at which " +
		"interval. Controls are applied by /policies/mitigations."
	aboutUpdate = "Applications that exist keep their period. The next evidence follows the new cadence and grace."
	aboutDelete = "409 control_in_use if the control is applied or proposed. Disable it instead."
)

// Routes are the paths under /policies/mitigation. Administrators write; auditors read.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("GET", base, "List mitigating controls", s.list).For(both...).Describe(aboutControls),
		httpapi.Handle("POST", base, "Create a mitigating control", s.post).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutControls),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a mitigating control", s.one).For(both...),
		httpapi.Handle("PATCH", base+"/{id}", "Update a mitigating control", s.patch).
			For(viewer.Admin).
			Errors(409, 412).
			Describe(aboutUpdate),
		httpapi.Handle("DELETE", base+"/{id}", "Delete a mitigating control", s.remove).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe(aboutDelete),
		httpapi.Handle("GET", base+"/{id}/versions", "List the versions of a mitigating control", s.versions).
			For(both...),
		httpapi.Handle("POST", base+"/{id}/enable", "Enable a mitigating control", s.enable).
			For(viewer.Admin).
			Status(200).
			Errors(412),
		httpapi.Handle("POST", base+"/{id}/disable", "Disable a mitigating control", s.disable).
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

// list is GET of the controls.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Control], error) {
	walk, err := s.Cursors.Walk(v, "mitigating-controls", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.After), err
}

type idIn struct {
	// ID of the control.
	ID string `path:"id"`
}

// one is GET of a control.
func (s *Service) one(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[Control], error) {
	return shown(s.Read(ctx, v, in.ID))
}

// shown is the response with a control and its version as ETag.
func shown(c Control, err error) (*httpapi.One[Control], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Control]{ETag: httpapi.ETag(c.Version), Body: c}, nil
}

// postIn is the input of post. RawBody tells an absent member from one that is empty.
type postIn struct {
	Body    Fields
	RawBody []byte
}

// Sent returns the fields of a request's body. A control is enabled unless the body says otherwise.
func Sent(f Fields, raw []byte) Fields {
	var given struct {
		Enabled *bool `json:"enabled"`
	}
	if json.Unmarshal(raw, &given) == nil && given.Enabled == nil {
		f.Enabled = true
	}
	return f
}

// post is POST of a control.
func (s *Service) post(ctx context.Context, v viewer.Viewer, in *postIn) (*httpapi.Created[Control], error) {
	made, err := s.Create(ctx, v, New{Fields: Sent(in.Body, in.RawBody)})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Control]{
		Location: httpapi.Prefix + base + "/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

type patchIn struct {
	// ID of the control.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    Fields
	RawBody []byte
}

// patch is PATCH of a control (RFC 7396).
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[Control], error) {
	return shown(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

type matchIn struct {
	// ID of the control.
	ID string `path:"id"`
	httpapi.IfMatch
}

// remove is DELETE of a control.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.Delete(ctx, v, in.ID, in.IfMatch)
}

// enable is POST …/enable.
func (s *Service) enable(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[Control], error) {
	return shown(s.set(ctx, v, in.ID, in.IfMatch, "mitigating_control.enabled", func(f *Fields) { f.Enabled = true }))
}

// disable is POST …/disable.
func (s *Service) disable(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.One[Control], error) {
	return shown(s.set(ctx, v, in.ID, in.IfMatch, "mitigating_control.disabled", func(f *Fields) { f.Enabled = false }))
}

type versionsIn struct {
	// ID of the control.
	ID string `path:"id"`
	httpapi.Paging
}

// versions is GET of the versions of a control, the newest first.
func (s *Service) versions(
	ctx context.Context,
	v viewer.Viewer,
	in *versionsIn,
) (*httpapi.ListOut[MitigatingControlVersion], error) {
	walk, err := s.Cursors.Walk(v, "mitigating-control-versions", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	var items []MitigatingControlVersion
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if _, err = Find(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		items, total, err = Versions(ctx, tx, in.ID, walk.Page)
		return err
	})
	after := func(v MitigatingControlVersion) []string { return []string{strconv.Itoa(v.Version)} }
	return httpapi.Out(walk, items, total, after), err
}
