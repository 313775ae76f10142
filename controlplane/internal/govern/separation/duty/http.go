package duty

import (
	"context"
	"net/http"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const base = "/policies/duties"

const (
	aboutDuties = "A duty is a function of the business, such as paying invoices, with the access that lets a person " +
		"perform it. A person performs a duty with at least one member of each group of all_of. " +
		"Separation-of-duties policies name duties."
	aboutUpdate = "all_of is replaced as a whole. The change applies to all policies that name the duty. Members " +
		"that no longer exist may stay."
	aboutDelete = "A duty that a policy names cannot be deleted: the response is 409 duty_in_use."
)

// Service manages duties.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
}

// Routes are the paths under /policies/duties. Administrators write; auditors read.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("GET", base, "List duties", s.list).For(both...).Describe(aboutDuties),
		httpapi.Handle("POST", base, "Create a duty", s.post).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe(aboutDuties),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a duty", s.one).For(both...),
		httpapi.Handle("PATCH", base+"/{id}", "Update a duty", s.patch).
			For(viewer.Admin).
			Errors(409, 412).
			Describe(aboutUpdate),
		httpapi.Handle("DELETE", base+"/{id}", "Delete a duty", s.remove).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409, 412).
			Describe(aboutDelete),
		httpapi.Handle("GET", base+"/{id}/versions", "List the versions of a duty", s.versions).For(both...),
	}
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	Filters
}

// list is GET of the duties.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[DutyItem], error) {
	walk, err := s.Cursors.Walk(v, "duties", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	var items []DutyItem
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		items, total, err = List(ctx, tx, in.Filters, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, in.After), err
}

type idIn struct {
	// ID of the duty.
	ID string `path:"id"`
}

// one is GET of a duty.
func (s *Service) one(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[Duty], error) {
	var found Duty
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		found, err = Find(ctx, tx, in.ID)
		return err
	})
	return shown(found, err)
}

// shown is the response with a duty and its version as ETag.
func shown(d Duty, err error) (*httpapi.One[Duty], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Duty]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

type postIn struct {
	Body Fields
}

// post is POST of a duty.
func (s *Service) post(ctx context.Context, v viewer.Viewer, in *postIn) (*httpapi.Created[Duty], error) {
	var made Duty
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		made, err = Create(ctx, tx, New{Fields: in.Body})
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Duty]{
		Location: httpapi.Prefix + base + "/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

type patchIn struct {
	// ID of the duty.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    Fields
	RawBody []byte
}

// patch is PATCH of a duty (RFC 7396).
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[Duty], error) {
	if err := mergepatch.Keep(in.RawBody, "name", "all_of"); err != nil {
		return nil, err
	}
	var changed Duty
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := Locked(ctx, tx, in.ID, " for update of d")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		after, err := mergepatch.Apply(before.Fields, in.RawBody)
		if err != nil {
			return err
		}
		changed, err = Rewrite(ctx, tx, before, after)
		return err
	})
	return shown(changed, err)
}

type matchIn struct {
	// ID of the duty.
	ID string `path:"id"`
	httpapi.IfMatch
}

// remove is DELETE of a duty.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := Locked(ctx, tx, in.ID, " for update of d")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		return Retire(ctx, tx, before)
	})
}

type versionsIn struct {
	// ID of the duty.
	ID string `path:"id"`
	httpapi.Paging
}

// versions is GET of the versions of a duty, the newest first.
func (s *Service) versions(
	ctx context.Context,
	v viewer.Viewer,
	in *versionsIn,
) (*httpapi.ListOut[DutyVersion], error) {
	walk, err := s.Cursors.Walk(v, "duty-versions", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	var items []DutyVersion
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if _, err = Locked(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		items, total, err = Versions(ctx, tx, in.ID, walk.Page)
		return err
	})
	after := func(v DutyVersion) []string { return []string{strconv.Itoa(v.Version)} }
	return httpapi.Out(walk, items, total, after), err
}
