package apitoken

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Filters narrow the list of tokens; each one given must hold.
type Filters struct {
	// Several values, separated by commas.
	State []string `query:"state" enum:"active,expiring,disabled,revoked,expired"`
	// Tokens with this role.
	Role string `query:"role" enum:"manager,resource_owner,admin,auditor"`
	// Has this scope.
	Scope string `query:"scope" maxLength:"100"`
	// Tokens that act for this identity.
	BoundIdentityID string `query:"bound_identity_id" format:"uuid"`
	// The user whose rights the token has.
	CreatedBy string `query:"created_by" format:"uuid"`
	// Words, each of which is part of the name or description, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending.
	Sort string `query:"sort" default:"-created_at" enum:"created_at,name,expires_at,last_used_at,-created_at,-name,-expires_at,-last_used_at"`
}

var orders = map[string]listing.Order{
	"created_at":   {Column: "k.created_at", Type: "timestamptz"},
	"name":         {Column: "k.name", Type: "text"},
	"expires_at":   {Column: "k.expires_at", Type: "timestamptz"},
	"last_used_at": {Column: "coalesce(k.last_used_at, 'epoch')", Type: "timestamptz"},
}

// query is the list's query. States depend on the time, which is therefore an argument.
func (f Filters) query(now time.Time) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{
		Columns: columns + ", (" + order.Column + ")::text as place",
		From:    from,
		ID:      "k.id",
		Order:   order,
	}
	q.Where(
		"@now::timestamptz is not null",
		pgx.NamedArgs{"now": now},
	) // always so: it names the instant of the states
	if len(f.State) > 0 {
		q.Where(state+" = any(@state)", pgx.NamedArgs{"state": f.State})
	}
	q.Equal("k.role", "role", f.Role)
	q.Equal("k.bound_identity_id", "bound_identity_id", f.BoundIdentityID)
	q.Equal("k.created_by", "created_by", f.CreatedBy)
	if f.Scope != "" {
		q.Where("@scope = any (k.scopes)", pgx.NamedArgs{"scope": f.Scope})
	}
	q.Search(f.Q, "k.name", "k.description")
	return q, nil
}

// placedRow is a row with its sort key.
type placedRow struct {
	row
	Place string `db:"place"`
}

// placed is a token with the sort key that the database gave it, which is what the next page starts after.
type placed struct {
	Token
	place string
}

// list reads a page of tokens and their number.
func list(ctx context.Context, tx *pg.Tx, f Filters, page pg.Page, now time.Time) ([]placed, int64, error) {
	q, err := f.query(now)
	if err != nil {
		return nil, 0, err
	}
	rows, total, err := listing.Fetch[placedRow](ctx, tx, q, page)
	var out []placed
	for _, r := range rows {
		out = append(out, placed{Token: r.shown(), place: r.Place})
	}
	return out, total, err
}
