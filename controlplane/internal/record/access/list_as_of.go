package access

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// grantPageAsOf is grantPage for the past.
func (s *Service) grantPageAsOf(
	ctx context.Context,
	v viewer.Viewer,
	name string,
	in *grantsIn,
	of func(*pg.Tx) error,
) (*asof.List[grant.Grant], error) {
	walk, err := s.Cursors.Walk(v, name, in.Paging, []any{in.Parameter, in.Filters})
	if err != nil {
		return nil, err
	}
	var m asof.Moment
	var items []grant.Grant
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if m, err = in.Moment(ctx, tx, s.Now()); err != nil {
			return err
		}
		if err := of(tx); err != nil {
			return err
		}
		found, shown := waysAsOf(v, name)
		switch {
		case in.IdentityID != "" && (v.SeesAll() || name == "identities/grants" || name == "accounts/grants"):
			found = asof.Grants(v)
		case v.SeesAll() && len(in.ComplianceStatus)+len(in.ReasonKind) == 0:
			found = grant.AllAsOf
		}
		q, err := in.QueryAsOf(found, shown, m.At)
		if err != nil {
			return err
		}
		rows, n, err := listing.FetchFound[grant.AsOf](ctx, tx, q, walk.Page)
		if err != nil {
			return err
		}
		total, items = n, make([]grant.Grant, len(rows))
		for i := range rows {
			items[i] = rows[i].Held()
		}
		if err := grant.FillStandingAsOf(ctx, tx, items, m.At); err != nil || len(in.Expand) == 0 {
			return err
		}
		return grant.FillPathsAsOf(ctx, tx, items, m.At)
	})
	return asof.ListOf(m, httpapi.Out(walk, items, total, grant.Grant.After), err)
}

// waysAsOf are the ways in which a list finds grants and shows them, as they are for today.
func waysAsOf(v viewer.Viewer, list string) (found, shown string) {
	switch list {
	case "grants":
		return grant.ListedAsOf(v), grant.HeldAsOf(v, false)
	case "identities/grants", "accounts/grants":
		return grant.HeldAsOf(v, true), grant.HeldAsOf(v, true)
	}
	return grant.HeldAsOf(v, false), grant.HeldAsOf(v, false)
}

const memberColumnsAsOf = `g.id as grant_id, g.directness, g.since, ` + grant.AccountAsOf + ` as account,
	case when i.id is not null then jsonb_build_object('id', i.id, 'display', i.display_name) end as identity`

// membersAsOf says who held an entitlement.
func (s *Service) membersAsOf(
	ctx context.Context,
	v viewer.Viewer,
	in *membersIn,
) (*asof.List[EntitlementMember], error) {
	walk, err := s.Cursors.Walk(v, "members", in.Paging, []any{in.ID, in.Effective, in.Parameter})
	if err != nil {
		return nil, err
	}
	grants := grant.HeldAsOf(v, false)
	q := &listing.Query{
		Columns: memberColumnsAsOf,
		From:    grant.JoinsAsOf(grants),
		Counted: grants,
		ID:      "g.id",
		Order:   listing.Order{Column: "g.id", Type: "uuid"},
	}
	q.Where("g.entitlement_id = @id", pgx.NamedArgs{"id": in.ID})
	if !in.Effective {
		q.Where("g.directness = 'direct'", nil)
	}
	var m asof.Moment
	var items []EntitlementMember
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if m, err = in.Moment(ctx, tx, s.Now()); err != nil {
			return err
		}
		if _, err := entitlement.Lookup(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		q.Args(pgx.NamedArgs{"as_of": m.At})
		items, total, err = listing.FetchFound[EntitlementMember](ctx, tx, q, walk.Page)
		return err
	})
	return asof.ListOf(
		m,
		httpapi.Out(walk, items, total, func(m EntitlementMember) []string { return []string{m.GrantID, m.GrantID} }),
		err,
	)
}
