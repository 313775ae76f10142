package ruleset

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// List gives a page of rules, and how many there are.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f Filters,
	page pg.Page,
) (items []rule.ApprovalRule, total int64, err error) {
	q, err := f.query()
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = listing.Fetch[rule.ApprovalRule](ctx, tx, q, page)
		for i := range items {
			items[i].Shown()
		}
		return err
	})
	return items, total, err
}

// columns are the columns of ApprovalRule.
const columns = `r.id::text as id, r.name, r.description, r.enabled, r.priority, r.applies_to, r.branches, r.terms,
	r.labels, r.origin, r.created_at,
	r.updated_at, r.version`

// Filters narrow a list of rules; each one given must hold.
type Filters struct {
	// Enabled rules, or disabled ones.
	Enabled string `query:"enabled" enum:"true,false"`
	// Those that are for whatever has no rule of its own.
	Default string `query:"default" enum:"true,false"`
	// Those that are for the role itself.
	RoleID string `query:"role_id" format:"uuid"`
	// Those that are for the entitlement itself.
	EntitlementID string `query:"entitlement_id" format:"uuid"`
	// Those that are for the system.
	ConnectorID string `query:"connector_id" format:"uuid"`
	// Words, each of which is part of a name or description, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending.
	Sort string `query:"sort" default:"priority" enum:"created_at,name,priority,-created_at,-name,-priority"`
}

var orders = map[string]listing.Order{
	"created_at": {Column: "r.id", Type: "uuid"}, // ids rise with the time of creation
	"name":       {Column: "r.name", Type: "text"},
	"priority":   {Column: "r.priority", Type: "int"},
}

// query is the list's query. Targets are found in the JSON of applies_to by the operator ?.
func (f Filters) query() (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: "approval_rule r", ID: "r.id", Order: order}
	q.Is("r.enabled", f.Enabled)
	q.Is("coalesce((r.applies_to ->> 'default')::boolean, false)", f.Default)
	for member, id := range map[string]string{"role_ids": f.RoleID, "entitlement_ids": f.EntitlementID,
		"connector_ids": f.ConnectorID} {
		if id != "" {
			q.Where("r.applies_to -> '"+member+"' ? @"+member, pgx.NamedArgs{member: strings.ToLower(id)})
		}
	}
	q.Search(f.Q, "r.name", "r.description")
	return q, nil
}

// after is the position of a rule in the list's order.
func (f Filters) after(r rule.ApprovalRule) []string {
	switch f.Sort {
	case "name", "-name":
		return []string{r.Name, r.ID}
	case "created_at", "-created_at":
		return []string{r.ID, r.ID}
	}
	return []string{strconv.Itoa(r.Priority), r.ID}
}
