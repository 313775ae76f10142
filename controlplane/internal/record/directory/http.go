package directory

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Routes are the paths under /identities and /accounts, and /settings/lifecycle, but for their grants, which package access serves.
func (s *Service) Routes() []httpapi.Route {
	return append([]httpapi.Route{
		httpapi.Handle("GET", "/identities", "List identities", s.list),
		httpapi.Handle("POST", "/identities", "Create an identity", s.create).For(viewer.Admin).Status(http.StatusCreated).Errors(409).
			Describe("Unknown members are ignored and named in the header Ignored-Fields."),
		httpapi.Handle("POST", "/identities/import", "Import identities", s.importPeople).For(viewer.Admin).Lines().Waits().Errors(409).Describe(aboutImport),
		httpapi.Download("GET", "/identities/export", "Export identities", exportMedia, s.export).For(viewer.Admin, viewer.Auditor).Describe(aboutExport),
		httpapi.Handle("GET", "/identities/departments", "List departments", s.departments).For(viewer.Admin, viewer.Auditor).Describe(aboutDepartments),
		httpapi.Handle("GET", "/identities/me", "Retrieve your own identity", s.me),
		httpapi.Handle("GET", "/identities/{id}", "Retrieve an identity", s.readOrThen),
		httpapi.Handle("PATCH", "/identities/{id}", "Update an identity", s.patch).For(viewer.Admin).Errors(409, 412).
			Describe("A JSON merge patch (RFC 7396): null clears a member, an absent one stays."),
		httpapi.Handle("DELETE", "/identities/{id}", "Archive an identity", s.archive).For(viewer.Admin).Status(http.StatusNoContent).Errors(409, 412),
		httpapi.Handle("POST", "/identities/{id}/deactivate", "Deactivate an identity", s.deactivate).For(viewer.Admin).Errors(409, 412).
			Describe("With effective_at in the future the identity is on notice until then. urgent lets the ending of their access go before everybody else's. " + aboutDryRun),
		httpapi.Handle("POST", "/identities/{id}/leave", "Start a leave", s.leave).For(viewer.Admin).Errors(409, 412).
			Describe("If from is omitted, the leave begins today; if to is omitted, it has no end. Both are whole days in the tenant's time zone. " + aboutDryRun),
		httpapi.Handle("POST", "/identities/{id}/return", "End a leave", s.endOfLeave).For(viewer.Admin).Errors(409, 412).
			Describe("A leave that has not begun is taken back. " + aboutDryRun),
		httpapi.Handle("POST", "/identities/{id}/merge", "Merge a duplicate identity", s.merge).For(viewer.Admin).Errors(409, 412).
			Describe("Accounts, source records, reasons for access, reports, what is owned or sponsored, and the user move; the source is archived. " + aboutDryRun),
		httpapi.Handle("POST", "/identities/{id}/unpin", "Unpin identity fields", s.unpin).For(viewer.Admin).Errors(409, 412).
			Describe("They become what the source says. attribute_sources of the identity names the fields that are pinned."),
		httpapi.Handle("GET", "/identities/{id}/handover", "List the responsibilities of an identity", s.handover).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("POST", "/identities/{id}/reactivate", "Reactivate an identity", s.reactivate).For(viewer.Admin).Errors(409, 412).
			Describe("Access that ended is not restored; policies grant their access again. " + aboutDryRun),
		httpapi.Handle("GET", "/identities/{id}/accounts", "List the accounts of an identity", s.accountsOf),
		httpapi.Handle("GET", "/identities/{id}/reports", "List the reports of an identity", s.reports),
	}, slices.Concat(s.accountRoutes(), s.lifecycleRoutes(), s.schemaRoutes())...)
}

const (
	aboutImport = "At most 50,000 rows as newline-delimited JSON (application/x-ndjson) or as CSV with a header (text/csv). Up to 1 MiB can also be sent as the member data of a JSON object. " +
		"Each row has an external_id. If an identity has it, the members of the row are updated; otherwise an identity is created. In JSON null clears a member; in CSV an empty cell changes nothing, " +
		"attributes.x and labels.x are columns, and lists are separated by semicolons. Invalid rows are skipped and reported with their line. " +
		"Some thousands of rows are committed together; unchanged rows are not written, so an interrupted import can be sent again."
	aboutExport = "Everybody whom the filters of the list of identities give, in its order. What is exported can be imported again."
)

const aboutDryRun = "With dry_run=true nothing is written: the answer is the identity as it would be, with impact."

// huma reads the parameters of exported embedded structs only, hence the id in each input.
type one struct {
	ID string `path:"id"`
}

type listIn struct {
	httpapi.Paging
	IdentityFilters
	PointInTime
}

func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*ListThen[Identity], error) {
	if in.AsOf != "" {
		return s.listThen(ctx, v, in)
	}
	out, err := s.page(ctx, v, "identities", in.Paging, in.IdentityFilters, nil, in.query)
	return Then(Moment{}, out, err)
}

// page answers a list of identities. scope is what bounds the list besides its filters.
func (s *Service) page(ctx context.Context, v viewer.Viewer, name string, p httpapi.Paging, f IdentityFilters, scope any,
	query func(viewer.Viewer) (*listing.Query, error)) (*httpapi.ListOut[Identity], error) {
	walk, err := s.Cursors.Walk(v, name, p, []any{scope, f})
	if err != nil {
		return nil, err
	}
	q, err := query(v)
	if err != nil {
		return nil, err
	}
	var items []Identity
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = fetchIdentities(ctx, tx, q, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, f.after), err
}

type createIn struct {
	Body    NewIdentity
	RawBody []byte
}

func (s *Service) create(ctx context.Context, v viewer.Viewer, in *createIn) (*httpapi.Created[Identity], error) {
	if err := checkMembers(in.RawBody); err != nil {
		return nil, err
	}
	i, err := s.Create(ctx, v, in.Body)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Identity]{Location: httpapi.Prefix + "/identities/" + i.ID, ETag: httpapi.ETag(i.Version),
		Ignored: httpapi.Ignored(in.RawBody, in.Body), Body: i}, nil
}

type readIn struct {
	ID     string   `path:"id"`
	Expand []string `query:"expand" enum:"manager,accounts,grants" doc:"Several by comma."`
	PointInTime
}

func (s *Service) read(ctx context.Context, v viewer.Viewer, in *readIn) (*httpapi.One[IdentityDetail], error) {
	d, err := s.Read(ctx, v, in.ID, in.Expand)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[IdentityDetail]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

type meIn struct {
	Expand []string `query:"expand" enum:"manager,accounts,grants" doc:"Several by comma."`
}

func (s *Service) me(ctx context.Context, v viewer.Viewer, in *meIn) (*httpapi.One[IdentityDetail], error) {
	if v.Identity == "" {
		return nil, fault.Coded(fault.NotFound, "no_identity", "your user is not linked to an identity; an administrator can link it")
	}
	return s.read(ctx, v, &readIn{ID: v.Identity, Expand: in.Expand})
}

type patchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	PinUntil time.Time `query:"pin_until" doc:"Until when fields that a source writes keep what this sets. Without it: until they are unpinned."`
	Body     identityPatch
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

func wrongPin(why string) error {
	return fault.New(fault.Invalid, "fields cannot be pinned until then").With(fault.Field{Pointer: "#/pin_until", Code: "invalid", Detail: why})
}

func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[Identity], error) {
	if err := checkMembers(in.RawBody); err != nil {
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
	return &httpapi.One[Identity]{ETag: httpapi.ETag(i.Version), Ignored: httpapi.Ignored(in.RawBody, in.Body), Body: i}, nil
}

type archiveIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Force bool `query:"force" doc:"Archive although there are live accounts."`
}

func (s *Service) archive(ctx context.Context, v viewer.Viewer, in *archiveIn) (*httpapi.None, error) {
	return nil, s.Archive(ctx, v, in.ID, in.IfMatch, in.Force)
}

// DryRun is whether an action only tells what it would do. huma reads the parameters of exported embedded structs only.
type DryRun struct {
	DryRun bool `query:"dry_run" doc:"Tell what would change, and write nothing."`
}

type deactivateIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	DryRun
	Body struct {
		Reason      string    `json:"reason" minLength:"1" maxLength:"1000"`
		EffectiveAt time.Time `json:"effective_at,omitempty" doc:"The default is now."`
		Urgent      bool      `json:"urgent,omitempty" doc:"An immediate termination."`
	}
}

func (s *Service) deactivate(ctx context.Context, v viewer.Viewer, in *deactivateIn) (*httpapi.One[Acted], error) {
	return actedOut(s.Deactivate(ctx, v, Ask{in.ID, in.IfMatch, in.DryRun.DryRun, in.Body.Reason}, in.Body.EffectiveAt, in.Body.Urgent))
}

// reasonIn is a decision whose reason may be left out, and then the body with it.
type reasonIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"1000"`
	}
}

func (in *reasonIn) reason() string {
	if in.Body == nil {
		return ""
	}
	return in.Body.Reason
}

// tryIn is reasonIn of what can be tried.
type tryIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	DryRun
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"1000"`
	}
}

func (in *tryIn) ask() Ask {
	a := Ask{in.ID, in.IfMatch, in.DryRun.DryRun, ""}
	if in.Body != nil {
		a.Reason = in.Body.Reason
	}
	return a
}

func (s *Service) reactivate(ctx context.Context, v viewer.Viewer, in *tryIn) (*httpapi.One[Acted], error) {
	return actedOut(s.Reactivate(ctx, v, in.ask()))
}

func (s *Service) endOfLeave(ctx context.Context, v viewer.Viewer, in *tryIn) (*httpapi.One[Acted], error) {
	return actedOut(s.Return(ctx, v, in.ask()))
}

type leaveIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	DryRun
	Body struct {
		From   *string `json:"from,omitempty" format:"date" doc:"The first day. The default is today."`
		To     *string `json:"to,omitempty" format:"date" doc:"The last day. The default is an open end."`
		Reason string  `json:"reason" minLength:"1" maxLength:"1000"`
	}
}

func (s *Service) leave(ctx context.Context, v viewer.Viewer, in *leaveIn) (*httpapi.One[Acted], error) {
	return actedOut(s.Leave(ctx, v, Ask{in.ID, in.IfMatch, in.DryRun.DryRun, in.Body.Reason}, in.Body.From, in.Body.To))
}

type unpinIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		Fields []string `json:"fields" minItems:"1" maxItems:"100" nullable:"false" doc:"As attribute_sources names them."`
	}
}

func (s *Service) unpin(ctx context.Context, v viewer.Viewer, in *unpinIn) (*httpapi.One[Identity], error) {
	return identityOut(s.Unpin(ctx, v, in.ID, in.IfMatch, in.Body.Fields))
}

func actedOut(a Acted, err error) (*httpapi.One[Acted], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Acted]{ETag: httpapi.ETag(a.Version), Body: a}, nil
}

func identityOut(i Identity, err error) (*httpapi.One[Identity], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Identity]{ETag: httpapi.ETag(i.Version), Body: i}, nil
}

type reportsIn struct {
	ID string `path:"id"`
	httpapi.Paging
	IdentityFilters
	Indirect bool `query:"indirect" doc:"The reports of reports too."`
}

func (s *Service) reports(ctx context.Context, v viewer.Viewer, in *reportsIn) (*httpapi.ListOut[Identity], error) {
	if err := s.DB.As(ctx, v, func(tx *pg.Tx) error { _, err := Find(ctx, tx, in.ID); return err }); err != nil {
		return nil, err
	}
	return s.page(ctx, v, "reports", in.Paging, in.IdentityFilters, []any{in.ID, in.Indirect}, func(v viewer.Viewer) (*listing.Query, error) {
		return reports(v, in.ID, in.Indirect, in.IdentityFilters)
	})
}
