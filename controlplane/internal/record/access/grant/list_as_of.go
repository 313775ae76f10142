package grant

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// HeldAsOf are the grants g that were held @as_of, with their owners of then as identity_id, of which the viewer may
// see those that concern whom they see today. own adds what was the viewer's own.
func HeldAsOf(v viewer.Viewer, own bool) string {
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

// AllAsOf are all grants of then, for who sees all and does not ask whose they were.
const AllAsOf = `(select h.*, null::uuid as identity_id, 'active' as status, false as reappeared
	from grant_at(@as_of) h where (select sees_all())) g`

// ListedAsOf is HeldThen(v, false) for who looks for them from what the viewer sees.
func ListedAsOf(v viewer.Viewer) string {
	if v.SeesAll() {
		return HeldAsOf(v, false)
	}
	return `(select h.*, 'active' as status, false as reappeared from visible_grant_at(@as_of) h) g`
}

// JoinsAsOf joins to the grants g what is known of them today (n), the account a, the entitlement e, and the owner i
// as they were.
func JoinsAsOf(grants string) string {
	return grants + `
	left join access_grant n on n.id = g.id
	left join account a on a.id = g.account_id
	left join entitlement e on e.id = g.entitlement_id
	left join lateral (select t.id, t.display_name, t.status from identity_at(@as_of) t
	    where t.id = g.identity_id offset 0) i on true`
}

// AccountAsOf names an account that may be no more.
const AccountAsOf = `jsonb_build_object('id', g.account_id, 'display', coalesce(` + account.Display + `,
	(select coalesce(p.username, p.external_id) from account_past p where p.account_id = g.account_id
	    order by p.until desc limit 1), ''))`

var columnsAsOf = `g.id, g.account_id, g.identity_id, g.entitlement_id, g.connector_id,
	` + listing.ConnectorName("g.connector_id") + ` as connector_name, ` + AccountAsOf + ` as account,
	case when i.id is not null then jsonb_build_object('id', i.id, 'display', i.display_name) end as identity,
	jsonb_build_object('id', g.entitlement_id, 'display',
	coalesce(nullif(e.display_name, ''), e.name, '')) as entitlement, n.external_id, g.directness, g.status,
	coalesce(n.immutable, false) as immutable, n.assigned_by, n.starts_at, null::timestamptz as ends_at, n.granted_at,
	null::timestamptz as last_used_at, coalesce(n.first_seen_at, g.since) as first_seen_at,
	null::timestamptz as missing_since, null::timestamptz as revoked_at, g.reappeared,
	null::timestamptz as suppress_reimport_until, coalesce(n.attributes, '{}') as attributes,
	    coalesce(n.labels, '{}') as labels, coalesce(n.created_at, g.since) as created_at, g.since as updated_at,
	    coalesce(n.version, 1) as version, g.since, g.until`

// AsOf is a grant as it was held, with the span.
type AsOf struct {
	Grant
	Since time.Time  `db:"since"`
	Until *time.Time `db:"until"`
}

// Held is the grant with the span in which it was held.
func (g AsOf) Held() Grant {
	g.HeldSince, g.HeldUntil = &g.Since, g.Until
	return g.Grant
}

// QueryAsOf is query for the past: who held what, so that every grant was active then.
func (f Filters) QueryAsOf(found, shown string, at time.Time) (*listing.Query, error) {
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
		Columns: columnsAsOf,
		From:    JoinsAsOf(shown),
		Counted: found,
		ID:      "g.id",
		Order:   listing.Order{Column: "g.id", Type: "uuid"},
	}
	q.Args(pgx.NamedArgs{"as_of": at})
	if len(f.ComplianceStatus) > 0 || len(f.ReasonKind) > 0 {
		q.From, q.Counted = JoinsAsOf(shown)+standingAsOf, JoinsAsOf(found)+standingAsOf
	}
	if len(f.ComplianceStatus) > 0 {
		q.Where(
			"("+complianceAsOf+") = any(@compliance_status)",
			pgx.NamedArgs{"compliance_status": f.ComplianceStatus},
		)
	}
	if len(f.ReasonKind) > 0 {
		q.Where(
			`(given.kinds && @reason_kind or 'native' = any(@reason_kind) and `+NativeSQL+`)`,
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
