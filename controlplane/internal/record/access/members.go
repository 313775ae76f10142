package access

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// EntitlementMember is an account that holds an entitlement, and whose it is.
type EntitlementMember struct {
	// Account that holds the entitlement.
	Account identity.Reference `json:"account" db:"account"`
	// Owner of the account. Null: the account has no owner.
	Identity *identity.Reference `json:"identity" db:"identity"`
	// ID of the grant.
	GrantID string `json:"grant_id" db:"grant_id"`
	// How the account holds the entitlement. direct: the account itself was assigned it. inherited: through nesting
	// only.
	Directness string `json:"directness" db:"directness" enum:"direct,inherited"`
	// When the grant was first known here.
	Since time.Time `json:"since" db:"since"`
}

const memberColumns = `g.id as grant_id, g.directness, g.created_at as since,
	jsonb_build_object('id', a.id, 'display', ` + account.Display + `) as account,
	case when i.id is not null then jsonb_build_object('id', i.id, 'display', i.display_name) end as identity`

type membersIn struct {
	// ID of the entitlement.
	ID string `path:"id"`
	httpapi.Paging
	// Those who hold it through nesting too.
	Effective bool `query:"effective"`
	asof.Parameter
}

func (s *Service) members(ctx context.Context, v viewer.Viewer, in *membersIn) (*asof.List[EntitlementMember], error) {
	if in.AsOf != "" {
		return s.membersAsOf(ctx, v, in)
	}
	walk, err := s.Cursors.Walk(v, "members", in.Paging, []any{in.ID, in.Effective})
	if err != nil {
		return nil, err
	}
	grants := listing.Among(v, "access_grant", "g")
	q := &listing.Query{Columns: memberColumns, From: grant.Around(grants), Counted: grants, ID: "g.id",
		Order: listing.Order{Column: "g.id", Type: "uuid"}}
	q.Where("g.entitlement_id = @id and "+nesting.HeldSQL, pgx.NamedArgs{"id": in.ID})
	if !in.Effective {
		q.Where("g.directness = 'direct'", nil)
	}
	var items []EntitlementMember
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := entitlement.Lookup(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		items, total, err = listing.Fetch[EntitlementMember](ctx, tx, q, walk.Page)
		return err
	})
	return asof.ListOf(
		asof.Moment{},
		httpapi.Out(walk, items, total, func(m EntitlementMember) []string { return []string{m.GrantID, m.GrantID} }),
		err,
	)
}
