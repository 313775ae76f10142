package user

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Filters narrow the list of users; each one given must hold.
type Filters struct {
	// Several values, separated by commas.
	Status []string `query:"status" enum:"invited,active,disabled"`
	// Has one of these; several values, separated by commas.
	Role []string `query:"role" enum:"manager,resource_owner,admin,auditor"`
	// Is linked to this identity.
	IdentityID string `query:"identity_id" format:"uuid"`
	// Words, each of which is part of the e-mail address or the name, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending.
	Sort string `query:"sort" default:"created_at" enum:"created_at,email,display_name,last_login_at,-created_at,-email,-display_name,-last_login_at"`
}

var orders = map[string]listing.Order{
	"created_at":    {Column: "u.created_at", Type: "timestamptz"},
	"email":         {Column: "u.email_lc", Type: "text"},
	"display_name":  {Column: "u.display_name", Type: "text"},
	"last_login_at": {Column: "coalesce(u.last_login_at, 'epoch')", Type: "timestamptz"},
}

// query is the list's query. Deleted users are never among them.
func (f Filters) query() (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: from, Counted: "app_user u", ID: "u.id", Order: order}
	q.Where("u.deleted_at is null", nil)
	if len(f.Status) > 0 {
		q.Where("u.status = any(@status)", pgx.NamedArgs{"status": f.Status})
	}
	if len(f.Role) > 0 {
		q.Where("u.roles && @role", pgx.NamedArgs{"role": f.Role})
	}
	q.Equal("u.identity_id", "identity_id", f.IdentityID)
	q.Search(f.Q, "u.email", "u.display_name")
	return q, nil
}

// list gives a page, how many there are, and the position of each row in the order.
func list(ctx context.Context, tx *pg.Tx, f Filters, page pg.Page) ([]placed, int64, error) {
	q, err := f.query()
	if err != nil {
		return nil, 0, err
	}
	q.Columns += ", (" + q.Order.Column + ")::text as place"
	rows, total, err := listing.Fetch[placedRow](ctx, tx, q, page)
	var out []placed
	for _, r := range rows {
		out = append(out, placed{User: r.shown(), place: r.Place})
	}
	return out, total, err
}

// placedRow is a row with its sort key.
type placedRow struct {
	row
	Place string `db:"place"`
}

// placed is a user with the sort key that the database gave it, which is what the next page starts after.
type placed struct {
	User
	place string
}
