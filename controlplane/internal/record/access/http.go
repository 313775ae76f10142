package access

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Routes are the paths under /entitlements, the grants beneath an identity and an account, and the explanations.
func (s *Service) Routes() []httpapi.Route {
	own := []httpapi.Route{
		httpapi.Handle("GET", "/entitlements/{id}/usage", "Get the usage of an entitlement", s.usage).
			Describe(aboutUsage),
		httpapi.Handle("GET", "/entitlements/{id}/members", "List the members of an entitlement", s.members),
		httpapi.Handle("GET", "/entitlements/{id}/grants", "List the grants of an entitlement", s.grantsOfEntitlement),
		httpapi.Handle("GET", "/entitlements/grants", "List grants", s.grants),
		httpapi.Handle("GET", "/entitlements/grants/{id}", "Retrieve a grant", s.grant),
		httpapi.Handle("GET", "/identities/{id}/grants", "List the grants of an identity", s.grantsOfIdentity),
		httpapi.Handle("GET", "/accounts/{id}/grants", "List the grants of an account", s.grantsOfAccount),
	}
	return slices.Concat(s.Entitlements().Routes(), s.Orders().Routes(), s.Explanations().Routes(), own)
}

const aboutUsage = "Unused access, if the system reports when access was last used."

type one struct {
	// ID of the grant.
	ID string `path:"id"`
}

type answer[T any] struct {
	Body T
}

func (s *Service) grant(ctx context.Context, v viewer.Viewer, in *one) (out *httpapi.One[grant.Grant], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		g, err := grant.Find(ctx, tx, in.ID)
		out = &httpapi.One[grant.Grant]{ETag: httpapi.ETag(g.Version), Body: g}
		return err
	})
	return out, err
}

type grantsIn struct {
	httpapi.Paging
	grant.Filters
	asof.Parameter
}

func (s *Service) grants(ctx context.Context, v viewer.Viewer, in *grantsIn) (*asof.List[grant.Grant], error) {
	return s.grantPage(ctx, v, "grants", in, listing.Listed, listing.Among, func(*pg.Tx) error { return nil })
}

type grantsOfIn struct {
	// ID of the entitlement, identity or account in the path.
	ID string `path:"id"`
	httpapi.Paging
	grant.Filters
	asof.Parameter
}

func (s *Service) grantsOfEntitlement(
	ctx context.Context,
	v viewer.Viewer,
	in *grantsOfIn,
) (*asof.List[grant.Grant], error) {
	in.EntitlementID = listing.Within(in.ID, in.EntitlementID)
	return s.grantPage(
		ctx,
		v,
		"entitlements/grants",
		&grantsIn{in.Paging, in.Filters, in.Parameter},
		listing.Among,
		listing.Among,
		func(tx *pg.Tx) error {
			_, err := entitlement.Lookup(ctx, tx, in.ID, "")
			return err
		},
	)
}

func (s *Service) grantsOfIdentity(
	ctx context.Context,
	v viewer.Viewer,
	in *grantsOfIn,
) (*asof.List[grant.Grant], error) {
	in.IdentityID = listing.Within(in.ID, in.IdentityID)
	return s.grantPage(
		ctx,
		v,
		"identities/grants",
		&grantsIn{in.Paging, in.Filters, in.Parameter},
		listing.Readable,
		listing.Readable,
		func(tx *pg.Tx) error {
			_, err := identity.Find(ctx, tx, in.ID)
			return err
		},
	)
}

func (s *Service) grantsOfAccount(
	ctx context.Context,
	v viewer.Viewer,
	in *grantsOfIn,
) (*asof.List[grant.Grant], error) {
	in.AccountID = listing.Within(in.ID, in.AccountID)
	return s.grantPage(
		ctx,
		v,
		"accounts/grants",
		&grantsIn{in.Paging, in.Filters, in.Parameter},
		listing.Readable,
		listing.Readable,
		func(tx *pg.Tx) error {
			_, err := account.Find(ctx, tx, in.ID)
			return err
		},
	)
}

// sight is one of listing's ways to look at a table.
type sight func(v viewer.Viewer, table, alias string) string

// grantPage answers a list of grants, which are found and shown by these ways. of looks whether what they belong to may
// be seen, in the same transaction.
func (s *Service) grantPage(ctx context.Context, v viewer.Viewer, name string, in *grantsIn,
	found, shown sight, of func(*pg.Tx) error) (*asof.List[grant.Grant], error) {
	if in.AsOf != "" {
		return s.grantPageAsOf(ctx, v, name, in, of)
	}
	walk, err := s.Cursors.Walk(v, name, in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	var items []grant.Grant
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := of(tx); err != nil {
			return err
		}
		if items, total, err = listing.Fetch[grant.Grant](
			ctx,
			tx,
			in.Query(found(v, "access_grant", "g"), shown(v, "access_grant", "g")),
			walk.Page,
		); err != nil {
			return err
		}
		if err := grant.FillStanding(ctx, tx, items, false); err != nil || len(in.Expand) == 0 {
			return err
		}
		return grant.FillPaths(ctx, tx, items)
	})
	return asof.ListOf(asof.Moment{}, httpapi.Out(walk, items, total, grant.Grant.After), err)
}
