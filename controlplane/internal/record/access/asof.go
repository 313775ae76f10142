package access

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// HeldThen are the grants g that were held @as_of, with their owners of then as identity_id, of which the viewer may
// see those that concern whom they see today. own adds what was the viewer's own.
func HeldThen(v viewer.Viewer, own bool) string {
	switch {
	case v.SeesAll():
		return `(select h.*, o.identity_id, 'active' as status, false as reappeared
		           from grant_at(@as_of) h
		           left join lateral (select w.identity_id from owner_at(@as_of) w
		               where w.account_id = h.account_id offset 0) o on true
		          where (select sees_all())) g`
	case own:
		return `(select h.*, 'active' as status, false as reappeared from readable_grant_at(@as_of, own => true) h) g`
	}
	return `(select h.*, 'active' as status, false as reappeared from readable_grant_at(@as_of, own => false) h) g`
}

// anybodysThen are all grants of then, for who sees all and does not ask whose they were.
const anybodysThen = `(select h.*, null::uuid as identity_id, 'active' as status, false as reappeared
	from grant_at(@as_of) h where (select sees_all())) g`

// listedThen is HeldThen(v, false) for who looks for them from what the viewer sees.
func listedThen(v viewer.Viewer) string {
	if v.SeesAll() {
		return HeldThen(v, false)
	}
	return `(select h.*, 'active' as status, false as reappeared from visible_grant_at(@as_of) h) g`
}

// aroundThen joins to the grants g what is known of them today (n), the account a, the entitlement e, and the owner i
// as they were.
func aroundThen(grants string) string {
	return grants + `
	left join access_grant n on n.id = g.id
	left join account a on a.id = g.account_id
	left join entitlement e on e.id = g.entitlement_id
	left join lateral (select t.id, t.display_name, t.status from identity_at(@as_of) t
	    where t.id = g.identity_id offset 0) i on true`
}

// accountThen names an account that may be no more.
const accountThen = `jsonb_build_object('id', g.account_id, 'display', coalesce(` + account.Display + `,
	(select coalesce(p.username, p.external_id) from account_past p where p.account_id = g.account_id
	    order by p.until desc limit 1), ''))`

var grantColumnsThen = `g.id, g.account_id, g.identity_id, g.entitlement_id, g.connector_id,
	` + account.ConnectorName("g.connector_id") + ` as connector_name, ` + accountThen + ` as account,
	case when i.id is not null then jsonb_build_object('id', i.id, 'display', i.display_name) end as identity,
	jsonb_build_object('id', g.entitlement_id, 'display',
	coalesce(nullif(e.display_name, ''), e.name, '')) as entitlement, n.external_id, g.directness, g.status,
	coalesce(n.immutable, false) as immutable, n.assigned_by, n.starts_at, null::timestamptz as ends_at, n.granted_at,
	null::timestamptz as last_used_at, coalesce(n.first_seen_at, g.since) as first_seen_at,
	null::timestamptz as missing_since, null::timestamptz as revoked_at, g.reappeared,
	null::timestamptz as suppress_reimport_until, coalesce(n.attributes, '{}') as attributes,
	    coalesce(n.labels, '{}') as labels, coalesce(n.created_at, g.since) as created_at, g.since as updated_at,
	    coalesce(n.version, 1) as version, g.since, g.until`

// grantThen is a grant as it was held, with the span.
type grantThen struct {
	Grant
	Since time.Time  `db:"since"`
	Until *time.Time `db:"until"`
}

func (g grantThen) grant() Grant {
	g.HeldSince, g.HeldUntil = &g.Since, g.Until
	return g.Grant
}

// queryThen is query for the past: who held what, so that every grant was active then.
func (f GrantFilters) queryThen(found, shown string, at time.Time) (*listing.Query, error) {
	switch {
	case !f.EndsBefore.IsZero():
		return nil, asof.Unsupported("ends_before", "when a grant was to end is not kept; held_until tells when it did")
	case len(f.ReviewState) > 0:
		return nil, asof.Unsupported(
			"review_state",
			"the review states of the past are not kept; leave out review_state or as_of",
		)
	case len(f.Status) > 0 && !slices.Contains(f.Status, "active"):
		return nil, asof.Unsupported("status", "what was held is told, and all of it was active")
	}
	q := &listing.Query{
		Columns: grantColumnsThen,
		From:    aroundThen(shown),
		Counted: found,
		ID:      "g.id",
		Order:   listing.Order{Column: "g.id", Type: "uuid"},
	}
	q.Args(pgx.NamedArgs{"as_of": at})
	if len(f.ComplianceStatus) > 0 || len(f.ReasonKind) > 0 {
		q.From, q.Counted = aroundThen(shown)+standingThen, aroundThen(found)+standingThen
	}
	if len(f.ComplianceStatus) > 0 {
		q.Where(
			"("+complianceThen+") = any(@compliance_status)",
			pgx.NamedArgs{"compliance_status": f.ComplianceStatus},
		)
	}
	if len(f.ReasonKind) > 0 {
		q.Where(
			`(given.kinds && @reason_kind or 'native' = any(@reason_kind) and `+native+`)`,
			pgx.NamedArgs{"reason_kind": f.ReasonKind},
		)
	}
	q.Equal("g.identity_id", "identity_id", f.IdentityID)
	q.Equal("g.account_id", "account_id", f.AccountID)
	q.Equal("g.entitlement_id", "entitlement_id", f.EntitlementID)
	q.Equal("g.connector_id", "connector_id", f.ConnectorID)
	q.Equal("g.directness", "directness", f.Directness)
	return q, nil
}

// grantPageThen is grantPage for the past.
func (s *Service) grantPageThen(
	ctx context.Context,
	v viewer.Viewer,
	name string,
	in *grantsIn,
	of func(*pg.Tx) error,
) (*asof.List[Grant], error) {
	walk, err := s.Cursors.Walk(v, name, in.Paging, []any{in.Parameter, in.GrantFilters})
	if err != nil {
		return nil, err
	}
	var m asof.Moment
	var items []Grant
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if m, err = in.Moment(ctx, tx, s.Now()); err != nil {
			return err
		}
		if err := of(tx); err != nil {
			return err
		}
		found, shown := waysThen(v, name)
		switch {
		case in.IdentityID != "" && (v.SeesAll() || name == "identities/grants" || name == "accounts/grants"):
			found = asof.Grants(v)
		case v.SeesAll() && len(in.ComplianceStatus)+len(in.ReasonKind) == 0:
			found = anybodysThen
		}
		q, err := in.queryThen(found, shown, m.At)
		if err != nil {
			return err
		}
		rows, n, err := listing.FetchFound[grantThen](ctx, tx, q, walk.Page)
		if err != nil {
			return err
		}
		total, items = n, make([]Grant, len(rows))
		for i := range rows {
			items[i] = rows[i].grant()
		}
		if err := fillStandingThen(ctx, tx, items, m.At); err != nil || len(in.Expand) == 0 {
			return err
		}
		return fillPathsThen(ctx, tx, items, m.At)
	})
	return asof.ListOf(m, httpapi.Out(walk, items, total, Grant.after), err)
}

// waysThen are the ways in which a list finds grants and shows them, as they are for today.
func waysThen(v viewer.Viewer, list string) (found, shown string) {
	switch list {
	case "grants":
		return listedThen(v), HeldThen(v, false)
	case "identities/grants", "accounts/grants":
		return HeldThen(v, true), HeldThen(v, true)
	}
	return HeldThen(v, false), HeldThen(v, false)
}

const memberColumnsThen = `g.id as grant_id, g.directness, g.since, ` + accountThen + ` as account,
	case when i.id is not null then jsonb_build_object('id', i.id, 'display', i.display_name) end as identity`

// membersThen says who held an entitlement.
func (s *Service) membersThen(
	ctx context.Context,
	v viewer.Viewer,
	in *membersIn,
) (*asof.List[EntitlementMember], error) {
	walk, err := s.Cursors.Walk(v, "members", in.Paging, []any{in.ID, in.Effective, in.Parameter})
	if err != nil {
		return nil, err
	}
	grants := HeldThen(v, false)
	q := &listing.Query{
		Columns: memberColumnsThen,
		From:    aroundThen(grants),
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
		if _, err := find(ctx, tx, in.ID, ""); err != nil {
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
