package directory

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/payload"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/action"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/bulk"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Routes are the paths under /identities and /accounts, and /settings/lifecycle, but for their grants, which package
// access serves.
func (s *Service) Routes() []httpapi.Route {
	return append([]httpapi.Route{
		httpapi.Handle("GET", "/identities", "List identities", s.list),
		httpapi.Handle("POST", "/identities", "Create an identity", s.create).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Describe("Unknown members are ignored and named in the header Ignored-Fields."),
		httpapi.Handle("GET", "/identities/departments", "List departments", s.departments).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutDepartments),
		httpapi.Handle("GET", "/identities/me", "Retrieve your own identity", s.me),
		httpapi.Handle("GET", "/identities/{id}", "Retrieve an identity", s.readOrThen),
		httpapi.Handle("PATCH", "/identities/{id}", "Update an identity", s.patch).For(viewer.Admin).Errors(409, 412).
			Describe("A JSON merge patch (RFC 7396): null clears a member; absent members stay."),
		httpapi.Handle("DELETE", "/identities/{id}", "Archive an identity", s.archive).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409, 412),
		httpapi.Handle("GET", "/identities/{id}/reports", "List the reports of an identity", s.reports),
	}, slices.Concat(
		(&account.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now, Admit: s.AdmitLinks}).Routes(),
		(&action.Service{DB: s.DB, Now: s.Now}).Routes(),
		(&bulk.Service{DB: s.DB, Now: s.Now}).Routes(),
		s.lifecycleRoutes(), s.schemaRoutes())...)
}

// huma reads the parameters of exported embedded structs only, hence the id in each input below.

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	identity.Filters
	asof.Parameter
}

// list is GET /identities, now or at an instant.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*asof.List[identity.Identity], error) {
	if in.AsOf != "" {
		return s.listThen(ctx, v, in)
	}
	out, err := s.page(ctx, v, "identities", in.Paging, in.Filters, nil, in.Query)
	return asof.ListOf(asof.Moment{}, out, err)
}

// page answers a list of identities. scope is what bounds the list besides its filters.
func (s *Service) page(
	ctx context.Context,
	v viewer.Viewer,
	name string,
	p httpapi.Paging,
	f identity.Filters,
	scope any,
	query func(viewer.Viewer) (*listing.Query, error),
) (*httpapi.ListOut[identity.Identity], error) {
	walk, err := s.Cursors.Walk(v, name, p, []any{scope, f})
	if err != nil {
		return nil, err
	}
	q, err := query(v)
	if err != nil {
		return nil, err
	}
	var items []identity.Identity
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = identity.Fetch(ctx, tx, q, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, f.After), err
}

// createIn is the input of create.
type createIn struct {
	Body    identity.NewIdentity
	RawBody []byte
}

// create is POST /identities. Members that are unknown are ignored and named in a header.
func (s *Service) create(ctx context.Context, v viewer.Viewer,
	in *createIn) (*httpapi.Created[identity.Identity], error) {
	if err := identity.CheckMembers(in.RawBody); err != nil {
		return nil, err
	}
	i, err := s.Create(ctx, v, in.Body)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[identity.Identity]{
		Location: httpapi.Prefix + "/identities/" + i.ID,
		ETag:     httpapi.ETag(i.Version),
		Ignored:  payload.Ignored(in.RawBody, in.Body),
		Body:     i,
	}, nil
}

type readIn struct {
	// ID of the identity.
	ID string `path:"id"`
	// Several values, separated by commas.
	Expand []string `query:"expand" enum:"manager,accounts,grants"`
	asof.Parameter
}

// read is GET of one identity, now.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *readIn) (*httpapi.One[IdentityDetail], error) {
	d, err := s.Read(ctx, v, in.ID, in.Expand)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[IdentityDetail]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

// meIn is the input of me.
type meIn struct {
	// Several values, separated by commas.
	Expand []string `query:"expand" enum:"manager,accounts,grants"`
}

// me is GET of the viewer's own identity. A user who is not linked to one gets no_identity.
func (s *Service) me(ctx context.Context, v viewer.Viewer, in *meIn) (*httpapi.One[IdentityDetail], error) {
	if v.Identity == "" {
		return nil, fault.Coded(
			fault.NotFound,
			"no_identity",
			"your user is not linked to an identity; an administrator can link it",
		)
	}
	return s.read(ctx, v, &readIn{ID: v.Identity, Expand: in.Expand})
}

type patchIn struct {
	// ID of the identity.
	ID string `path:"id"`
	httpapi.IfMatch
	// Until when fields that a source writes keep what this sets. Without it: until they are unpinned.
	PinUntil time.Time `query:"pin_until"`
	Body     identity.IdentityPatch
	RawBody  []byte
}

// until is when pins end; the body goes before the query.
func (in *patchIn) until(now time.Time) (*time.Time, error) {
	until := in.PinUntil
	if in.Body.PinUntil != "" {
		var err error
		if until, err = time.Parse(time.RFC3339, in.Body.PinUntil); err != nil {
			return nil, wrongPin("this is no time such as 2026-12-31T00:00:00Z")
		}
	}
	switch {
	case until.IsZero():
		return nil, nil
	case !until.After(now):
		return nil, wrongPin("this time is over")
	}
	return &until, nil
}

// wrongPin is the fault for a pin_until that cannot be used.
func wrongPin(why string) error {
	return fault.New(fault.Invalid, "fields cannot be pinned until then").
		With(fault.Field{Pointer: "#/pin_until", Code: "invalid", Detail: why})
}

// patch is PATCH of an identity (RFC 7396). Fields that a source writes are pinned by it.
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[identity.Identity], error) {
	if err := identity.CheckMembers(in.RawBody); err != nil {
		return nil, err
	}
	until, err := in.until(s.Now())
	if err != nil {
		return nil, err
	}
	i, err := s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody, until)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[identity.Identity]{
		ETag:    httpapi.ETag(i.Version),
		Ignored: payload.Ignored(in.RawBody, in.Body),
		Body:    i,
	}, nil
}

type archiveIn struct {
	// ID of the identity.
	ID string `path:"id"`
	httpapi.IfMatch
	// Archive although there are live accounts.
	Force bool `query:"force"`
}

// archive is DELETE of an identity, which archives it.
func (s *Service) archive(ctx context.Context, v viewer.Viewer, in *archiveIn) (*httpapi.None, error) {
	return nil, s.Archive(ctx, v, in.ID, in.IfMatch, in.Force)
}

type reportsIn struct {
	// ID of the manager.
	ID string `path:"id"`
	httpapi.Paging
	identity.Filters
	// The reports of reports too.
	Indirect bool `query:"indirect"`
}

// reports is GET of the people who report to a manager. The manager must be visible to the viewer.
func (s *Service) reports(ctx context.Context, v viewer.Viewer,
	in *reportsIn) (*httpapi.ListOut[identity.Identity], error) {
	if err := s.DB.As(
		ctx,
		v,
		func(tx *pg.Tx) error { _, err := identity.Find(ctx, tx, in.ID); return err },
	); err != nil {
		return nil, err
	}
	return s.page(
		ctx,
		v,
		"reports",
		in.Paging,
		in.Filters,
		[]any{in.ID, in.Indirect},
		func(v viewer.Viewer) (*listing.Query, error) {
			return identity.Reports(v, in.ID, in.Indirect, in.Filters)
		},
	)
}
