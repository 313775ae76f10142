package account

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Routes are the paths under /accounts, and the accounts of an identity.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/accounts", "List accounts", s.list),
		httpapi.Handle("GET", "/accounts/uncorrelated", "List uncorrelated accounts", s.uncorrelated),
		httpapi.Handle("GET", "/accounts/disputed", "List disputed accounts", s.disputed),
		httpapi.Handle("GET", "/accounts/orphaned", "List orphan accounts", s.orphaned).
			Describe("Accounts whose owner is deactivated or archived, or that have no owner. Service, shared, " +
				"system, bot, ai_agent and break_glass accounts are listed at once, others after 30 days. PUT " +
				"/settings/orphans changes that time."),
		httpapi.Handle("GET", "/accounts/{id}", "Retrieve an account", s.read),
		httpapi.Handle("PATCH", "/accounts/{id}", "Update an account", s.patch).For(viewer.Admin).Errors(412),
		httpapi.Handle("POST", "/accounts/{id}/link", "Assign the owner of an account", s.link).
			For(viewer.Admin).
			Errors(409, 412),
		httpapi.Handle("POST", "/accounts/{id}/unlink", "Unassign the owner of an account", s.unlink).
			For(viewer.Admin).
			Errors(409, 412),
		httpapi.Handle("POST", "/accounts/{id}/ignore", "Ignore an account", s.ignore).
			For(viewer.Admin).
			Errors(409, 412),
		httpapi.Handle("GET", "/identities/{id}/accounts", "List the accounts of an identity", s.listOfIdentity),
	}
}

type oneIn struct {
	// ID of the account.
	ID string `path:"id"`
}

// listIn is the input of the lists.
type listIn struct {
	httpapi.Paging
	Filters
}

// list is GET /accounts.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Account], error) {
	return s.page(ctx, v, "accounts", in)
}

// uncorrelated is GET /accounts/uncorrelated, with the filter set.
func (s *Service) uncorrelated(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Account], error) {
	in.Correlation = []string{uncorrelated}
	return s.page(ctx, v, "accounts/uncorrelated", in)
}

// disputed is GET /accounts/disputed, with the filter set.
func (s *Service) disputed(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Account], error) {
	in.Correlation = []string{"disputed"}
	return s.page(ctx, v, "accounts/disputed", in)
}

// orphaned is GET /accounts/orphaned, with the filter set.
func (s *Service) orphaned(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Account], error) {
	in.Orphaned = "true"
	return s.page(ctx, v, "accounts/orphaned", in)
}

type ofIdentityIn struct {
	// ID of the identity.
	ID string `path:"id"`
	httpapi.Paging
	Filters
}

// listOfIdentity is GET of a person's accounts. The person must be visible to the viewer.
func (s *Service) listOfIdentity(ctx context.Context, v viewer.Viewer,
	in *ofIdentityIn) (*httpapi.ListOut[Account], error) {
	if err := s.DB.As(
		ctx,
		v,
		func(tx *pg.Tx) error { _, err := identity.Find(ctx, tx, in.ID); return err },
	); err != nil {
		return nil, err
	}
	in.IdentityID = listing.Within(in.ID, in.IdentityID)
	own := listing.Readable(v, "account", "a")
	return s.pageAmong(ctx, v, "identities/accounts", &listIn{in.Paging, in.Filters}, own, own)
}

// page reads a page of the accounts that the viewer may list.
func (s *Service) page(ctx context.Context, v viewer.Viewer, name string,
	in *listIn) (*httpapi.ListOut[Account], error) {
	return s.pageAmong(ctx, v, name, in, listing.Listed(v, "account", "a"), listing.Among(v, "account", "a"))
}

// pageAmong reads a page of accounts: found is what is counted, shown what is read. Both are
// subqueries of the accounts that the viewer sees.
func (s *Service) pageAmong(ctx context.Context, v viewer.Viewer, name string, in *listIn, found,
	shown string) (*httpapi.ListOut[Account], error) {
	walk, err := s.Cursors.Walk(v, name, in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	q, err := in.query(found, shown)
	if err != nil {
		return nil, err
	}
	var items []Account
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = listing.Fetch[Account](ctx, tx, q, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, in.after), err
}

// read is GET of one account.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[AccountDetail], error) {
	d, err := s.Read(ctx, v, in.ID)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[AccountDetail]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

type patchIn struct {
	// ID of the account.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    AccountFields
	RawBody []byte
}

// patch is PATCH of an account: what administrators decide about it. What its system says is read
// only.
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[Account], error) {
	return accountOut(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

type linkIn struct {
	// ID of the account.
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		// ID of the identity that owns the account.
		IdentityID string `json:"identity_id" format:"uuid"`
		// Why this identity owns the account. It is shown in correlation.
		Reason string `json:"reason" minLength:"1" maxLength:"1000"`
	}
}

// link is POST …/link.
func (s *Service) link(ctx context.Context, v viewer.Viewer, in *linkIn) (*httpapi.One[Account], error) {
	return accountOut(s.Link(ctx, v, in.ID, in.IfMatch, in.Body.IdentityID, in.Body.Reason))
}

// unlink is POST …/unlink.
func (s *Service) unlink(ctx context.Context, v viewer.Viewer, in *reasonIn) (*httpapi.One[Account], error) {
	return accountOut(s.Unlink(ctx, v, in.ID, in.IfMatch, in.reason()))
}

// ignore is POST …/ignore.
func (s *Service) ignore(ctx context.Context, v viewer.Viewer, in *reasonIn) (*httpapi.One[Account], error) {
	return accountOut(s.Ignore(ctx, v, in.ID, in.IfMatch, in.reason()))
}

// accountOut is the response with an account and its version as ETag.
func accountOut(a Account, err error) (*httpapi.One[Account], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Account]{ETag: httpapi.ETag(a.Version), Body: a}, nil
}

// reasonIn is a decision whose reason may be left out, and then the body with it.
type reasonIn struct {
	// ID of the account.
	ID string `path:"id"`
	httpapi.IfMatch
	Body *struct {
		// Why this was decided. It is shown in correlation.
		Reason string `json:"reason,omitempty" maxLength:"1000"`
	}
}

// reason is the reason that was given, or empty.
func (in *reasonIn) reason() string {
	if in.Body == nil {
		return ""
	}
	return in.Body.Reason
}
