package directory

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

func (s *Service) accountRoutes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/accounts", "List accounts", s.accounts),
		httpapi.Handle("GET", "/accounts/uncorrelated", "List uncorrelated accounts", s.uncorrelated),
		httpapi.Handle("GET", "/accounts/disputed", "List disputed accounts", s.disputed),
		httpapi.Handle("GET", "/accounts/orphaned", "List orphan accounts", s.orphaned).
			Describe("Accounts whose owner is deactivated or archived, or that have no owner. Service, shared, system, bot, ai_agent and break_glass accounts are listed at once, others after 30 days. PUT /settings/orphans changes that time."),
		httpapi.Handle("GET", "/accounts/{id}", "Retrieve an account", s.account),
		httpapi.Handle("PATCH", "/accounts/{id}", "Update an account", s.patchAccount).For(viewer.Admin).Errors(412),
		httpapi.Handle("POST", "/accounts/{id}/link", "Assign the owner of an account", s.link).For(viewer.Admin).Errors(409, 412),
		httpapi.Handle("POST", "/accounts/{id}/unlink", "Unassign the owner of an account", s.unlink).For(viewer.Admin).Errors(409, 412),
		httpapi.Handle("POST", "/accounts/{id}/ignore", "Ignore an account", s.ignore).For(viewer.Admin).Errors(409, 412),
	}
}

type accountsIn struct {
	httpapi.Paging
	AccountFilters
}

func (s *Service) accounts(ctx context.Context, v viewer.Viewer, in *accountsIn) (*httpapi.ListOut[Account], error) {
	return s.accountPage(ctx, v, "accounts", in)
}

func (s *Service) uncorrelated(ctx context.Context, v viewer.Viewer, in *accountsIn) (*httpapi.ListOut[Account], error) {
	in.Correlation = []string{uncorrelated}
	return s.accountPage(ctx, v, "accounts/uncorrelated", in)
}

func (s *Service) disputed(ctx context.Context, v viewer.Viewer, in *accountsIn) (*httpapi.ListOut[Account], error) {
	in.Correlation = []string{"disputed"}
	return s.accountPage(ctx, v, "accounts/disputed", in)
}

func (s *Service) orphaned(ctx context.Context, v viewer.Viewer, in *accountsIn) (*httpapi.ListOut[Account], error) {
	in.Orphaned = "true"
	return s.accountPage(ctx, v, "accounts/orphaned", in)
}

type accountsOfIn struct {
	ID string `path:"id"`
	httpapi.Paging
	AccountFilters
}

func (s *Service) accountsOf(ctx context.Context, v viewer.Viewer, in *accountsOfIn) (*httpapi.ListOut[Account], error) {
	if err := s.DB.As(ctx, v, func(tx *pg.Tx) error { _, err := Find(ctx, tx, in.ID); return err }); err != nil {
		return nil, err
	}
	in.IdentityID = listing.Within(in.ID, in.IdentityID)
	own := listing.Readable(v, "account", "a")
	return s.pageOf(ctx, v, "identities/accounts", &accountsIn{in.Paging, in.AccountFilters}, own, own)
}

func (s *Service) accountPage(ctx context.Context, v viewer.Viewer, name string, in *accountsIn) (*httpapi.ListOut[Account], error) {
	return s.pageOf(ctx, v, name, in, listing.Listed(v, "account", "a"), listing.Among(v, "account", "a"))
}

func (s *Service) pageOf(ctx context.Context, v viewer.Viewer, name string, in *accountsIn, found, shown string) (*httpapi.ListOut[Account], error) {
	walk, err := s.Cursors.Walk(v, name, in.Paging, in.AccountFilters)
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

func (s *Service) account(ctx context.Context, v viewer.Viewer, in *one) (*httpapi.One[AccountDetail], error) {
	d, err := s.ReadAccount(ctx, v, in.ID)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[AccountDetail]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

type patchAccountIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body    AccountFields
	RawBody []byte
}

func (s *Service) patchAccount(ctx context.Context, v viewer.Viewer, in *patchAccountIn) (*httpapi.One[Account], error) {
	return accountOut(s.PatchAccount(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

type linkIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		IdentityID string `json:"identity_id" format:"uuid"`
		Reason     string `json:"reason" minLength:"1" maxLength:"1000"`
	}
}

func (s *Service) link(ctx context.Context, v viewer.Viewer, in *linkIn) (*httpapi.One[Account], error) {
	return accountOut(s.Link(ctx, v, in.ID, in.IfMatch, in.Body.IdentityID, in.Body.Reason))
}

func (s *Service) unlink(ctx context.Context, v viewer.Viewer, in *reasonIn) (*httpapi.One[Account], error) {
	return accountOut(s.Unlink(ctx, v, in.ID, in.IfMatch, in.reason()))
}

func (s *Service) ignore(ctx context.Context, v viewer.Viewer, in *reasonIn) (*httpapi.One[Account], error) {
	return accountOut(s.Ignore(ctx, v, in.ID, in.IfMatch, in.reason()))
}

func accountOut(a Account, err error) (*httpapi.One[Account], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Account]{ETag: httpapi.ETag(a.Version), Body: a}, nil
}
