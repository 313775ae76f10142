package requestcatalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Service answers for the catalog. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
}

const (
	aboutCatalog = "Roles and entitlements that the person can request, with the reason why each is shown. Users see " +
		"their own catalog, managers also those of their reports, administrators and integrations all. Items that " +
		"the person already has are included and marked."
	aboutSearch = "Searches the catalog. Every word must begin a word of the item's name, description or resource, " +
		"or of a role's contents. Matches in the name come first."
)

// Routes are the paths under /access-requests/catalog.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/access-requests/catalog", "List requestable items", s.list).
			Errors(404).
			Describe(aboutCatalog),
		httpapi.Handle("GET", "/access-requests/catalog/search", "Search requestable items", s.list).
			Errors(404).
			Describe(aboutSearch),
	}
}

// CatalogFilters narrow the catalog; each one given must hold.
type CatalogFilters struct {
	// The person whose catalog is listed. The default is your own. A user who is not linked to an identity has none.
	ForIdentityID string `query:"for_identity_id" format:"uuid"`
	// Roles or entitlements.
	Kind string `query:"kind" enum:"role,entitlement"`
	// Several values, separated by commas.
	RiskLevel []string `query:"risk_level" enum:"low,medium,high,critical"`
	// A compliance tag or class of data.
	Tag string `query:"tag" maxLength:"100"`
	// Entitlements of the system, and roles that hold some of it.
	ConnectorID string `query:"connector_id" format:"uuid"`
	// Words, all of which must begin a word of the item.
	Q string `query:"q" maxLength:"200"`
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	CatalogFilters
}

// list is GET of a person's catalog.
func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[CatalogItem], error) {
	walk, err := s.Cursors.Walk(v, "catalog", in.Paging, in.CatalogFilters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.CatalogFilters, walk.Page)
	return httpapi.Out(walk, items, total, CatalogItem.after), err
}

// List gives a page of somebody's catalog, and how much there is in all.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f CatalogFilters,
	page pg.Page,
) (items []CatalogItem, total int64, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if f.ForIdentityID == "" {
			f.ForIdentityID = v.Identity
		}
		if f.ForIdentityID == "" {
			return nil // whoever is linked to no identity has no catalog of their own
		}
		if f.ForIdentityID, err = whose(ctx, tx, f.ForIdentityID); err != nil {
			return err
		}
		var found []found
		if found, total, err = f.find(ctx, tx, page); err != nil {
			return err
		}
		items, err = fill(ctx, tx, f.ForIdentityID, found)
		return err
	})
	return items, total, err
}

// whose is the person whose catalog the viewer asks for, if they may have it.
func whose(ctx context.Context, tx *pg.Tx, asked string) (string, error) {
	v := tx.Viewer
	missing := fault.New(fault.NotFound, "Identity %s was not found.", asked)
	if !listing.IsID(asked) {
		return "", missing
	}
	const may = `
		select i.id::text
		  from identity i
		 where i.id = @id
		   and (@all or i.id = (select viewer_identity()) or exists (select from managed_identity() m
		       where m.id = i.id))`
	anybody := v.SeesAll() || v.Kind == viewer.Service && v.Identity == ""
	var id string
	switch err := tx.QueryRow(ctx, may, pgx.NamedArgs{"id": asked, "all": anybody}).Scan(&id); {
	case errors.Is(err, pgx.ErrNoRows):
		return "", missing
	case err != nil:
		return "", fmt.Errorf("find whose catalog it is: %w", err)
	}
	return id, nil
}
