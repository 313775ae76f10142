package access

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Routes are the paths under /entitlements, and the grants beneath an identity and an account.
func (s *Service) Routes() []httpapi.Route {
	return append(
		s.orderRoutes(),
		httpapi.Handle("GET", "/entitlements", "List entitlements", s.list),
		httpapi.Handle("GET", "/entitlements/{id}", "Retrieve an entitlement", s.read),
		httpapi.Handle("PATCH", "/entitlements/{id}", "Update an entitlement", s.patch).
			For(viewer.Admin, viewer.ResourceOwner).
			Errors(412).
			Describe(aboutPatch),
		httpapi.Handle("GET", "/entitlements/{id}/hierarchy", "Get an entitlement's hierarchy", s.hierarchy).
			Describe(aboutHierarchy),
		httpapi.Handle("GET", "/entitlements/{id}/usage", "Get the usage of an entitlement", s.usage).
			Describe(aboutUsage),
		httpapi.Handle("POST", "/entitlements/{id}/owners", "Set entitlement owners", s.owners).For(viewer.Admin),
		httpapi.Handle("POST", "/entitlements/{id}/retire", "Retire an entitlement", s.retire).
			For(viewer.Admin).
			Errors(409).
			Describe(aboutRetire),
		httpapi.Handle("POST", "/entitlements/bulk-update", "Update entitlements in bulk", s.bulkUpdate).
			For(viewer.Admin).
			Describe(aboutBulkUpdate),
		httpapi.Handle("GET", "/entitlements/{id}/members", "List the members of an entitlement", s.members),
		httpapi.Handle("GET", "/entitlements/{id}/grants", "List the grants of an entitlement", s.grantsOfEntitlement),
		httpapi.Handle("GET", "/entitlements/grants", "List grants", s.grants),
		httpapi.Handle("GET", "/entitlements/grants/{id}", "Retrieve a grant", s.grant),
		httpapi.Handle("GET", "/identities/{id}/grants", "List the grants of an identity", s.grantsOfIdentity),
		httpapi.Handle("GET", "/accounts/{id}/grants", "List the grants of an account", s.grantsOfAccount),
	)
}

const (
	aboutPatch = "Administrators write all members. Resource owners write what describes what they own: its words, " +
		"tags and whether it can be asked for; " +
		"they may raise its risk and shorten its durations."
	aboutHierarchy = "Nested groups as in the target system, in both directions with the number of steps. A cycle " +
		"of groups is reported: members of one of them are members of all."
	aboutUsage  = "Unused access, if the system reports when access was last used."
	aboutRetire = "The entitlement can no longer be assigned, and roles no longer assign it. With dry_run the " +
		"impact is returned and nothing is written."
	aboutBulkUpdate = "At most 500, by ids or by a filter. Those that cannot be changed are refused one by one, and " +
		"say why."
)

type listIn struct {
	httpapi.Paging
	Filters
}

func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Entitlement], error) {
	walk, err := s.Cursors.Walk(v, "entitlements", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.after), err
}

type one struct {
	ID string `path:"id"`
}

func (s *Service) read(ctx context.Context, v viewer.Viewer, in *one) (*httpapi.One[EntitlementDetail], error) {
	return detailOut(s.Read(ctx, v, in.ID))
}

type patchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body    EntitlementFields
	RawBody []byte
}

func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[EntitlementDetail], error) {
	return detailOut(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody))
}

func detailOut(d EntitlementDetail, err error) (*httpapi.One[EntitlementDetail], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[EntitlementDetail]{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

func (s *Service) grant(ctx context.Context, v viewer.Viewer, in *one) (out *httpapi.One[Grant], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		g, err := FindGrant(ctx, tx, in.ID)
		out = &httpapi.One[Grant]{ETag: httpapi.ETag(g.Version), Body: g}
		return err
	})
	return out, err
}

type grantsIn struct {
	httpapi.Paging
	GrantFilters
	asof.Parameter
}

func (s *Service) grants(ctx context.Context, v viewer.Viewer, in *grantsIn) (*asof.List[Grant], error) {
	return s.grantPage(ctx, v, "grants", in, listing.Listed, listing.Among, func(*pg.Tx) error { return nil })
}

type grantsOfIn struct {
	ID string `path:"id"`
	httpapi.Paging
	GrantFilters
	asof.Parameter
}

func (s *Service) grantsOfEntitlement(ctx context.Context, v viewer.Viewer, in *grantsOfIn) (*asof.List[Grant], error) {
	in.EntitlementID = listing.Within(in.ID, in.EntitlementID)
	return s.grantPage(
		ctx,
		v,
		"entitlements/grants",
		&grantsIn{in.Paging, in.GrantFilters, in.Parameter},
		listing.Among,
		listing.Among,
		func(tx *pg.Tx) error {
			_, err := find(ctx, tx, in.ID, "")
			return err
		},
	)
}

func (s *Service) grantsOfIdentity(ctx context.Context, v viewer.Viewer, in *grantsOfIn) (*asof.List[Grant], error) {
	in.IdentityID = listing.Within(in.ID, in.IdentityID)
	return s.grantPage(
		ctx,
		v,
		"identities/grants",
		&grantsIn{in.Paging, in.GrantFilters, in.Parameter},
		listing.Readable,
		listing.Readable,
		func(tx *pg.Tx) error {
			_, err := identity.Find(ctx, tx, in.ID)
			return err
		},
	)
}

func (s *Service) grantsOfAccount(ctx context.Context, v viewer.Viewer, in *grantsOfIn) (*asof.List[Grant], error) {
	in.AccountID = listing.Within(in.ID, in.AccountID)
	return s.grantPage(
		ctx,
		v,
		"accounts/grants",
		&grantsIn{in.Paging, in.GrantFilters, in.Parameter},
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
	found, shown sight, of func(*pg.Tx) error) (*asof.List[Grant], error) {
	if in.AsOf != "" {
		return s.grantPageThen(ctx, v, name, in, of)
	}
	walk, err := s.Cursors.Walk(v, name, in.Paging, in.GrantFilters)
	if err != nil {
		return nil, err
	}
	var items []Grant
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := of(tx); err != nil {
			return err
		}
		if items, total, err = listing.Fetch[Grant](
			ctx,
			tx,
			in.query(found(v, "access_grant", "g"), shown(v, "access_grant", "g")),
			walk.Page,
		); err != nil {
			return err
		}
		if err := fillStanding(ctx, tx, items, false); err != nil || len(in.Expand) == 0 {
			return err
		}
		return fillPaths(ctx, tx, items)
	})
	return asof.ListOf(asof.Moment{}, httpapi.Out(walk, items, total, Grant.after), err)
}
