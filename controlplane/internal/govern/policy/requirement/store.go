package requirement

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// columns are the columns of RequirementGap.
const columns = `g.id, g.state, g.policy_version, g.missing, g.opened_at, g.reopened_at, g.closed_at, g.resolution,
	g.exemption, g.updated_at, g.version,
	jsonb_build_object('id', g.identity_id, 'display', coalesce(i.display_name, '')) as identity,
	jsonb_build_object('id', g.policy_id, 'display', coalesce(p.name, '')) as policy`

const around = `
	left join identity i on i.id = g.identity_id
	left join access_policy p on p.id = g.policy_id`

// readable is the table of the gaps that a viewer may read.
func readable(v viewer.Viewer) string {
	if v.SeesAll() {
		return "requirement_gap g"
	}
	return "visible_requirement_gap() g"
}

// CountOpenSQL is the SQL of the number of open gaps that a viewer may read.
func CountOpenSQL(v viewer.Viewer) string {
	return `select count(*) from ` + readable(v) + ` where g.state = 'open'`
}

// Filters narrow a list of gaps; each one given must hold.
type Filters struct {
	// Gaps of the policy.
	PolicyID string `query:"policy_id" format:"uuid"`
	// Gaps of the person.
	IdentityID string `query:"identity_id" format:"uuid"`
	// Gaps in one of these states. Separate values with commas.
	State []string `query:"state" enum:"open,exempted,closed"`
	// Words in the names of the person and the policy. All must match; case, accents and order do not matter.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending.
	Sort string `query:"sort" default:"-opened_at" enum:"opened_at,-opened_at"`
}

var orders = map[string]listing.Order{
	"opened_at": {Column: "g.id", Type: "uuid"}, // ids rise with the time of creation
}

// query is the list of the gaps that a viewer may read.
func (f Filters) query(v viewer.Viewer) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: readable(v) + around, Counted: readable(v), ID: "g.id", Order: order}
	for column, value := range map[string]string{"policy_id": f.PolicyID, "identity_id": f.IdentityID} {
		if value != "" {
			q.Where("g."+column+" = @"+column+"::uuid", pgx.NamedArgs{column: value})
		}
	}
	if len(f.State) > 0 {
		q.Where("g.state = any(@state)", pgx.NamedArgs{"state": f.State})
	}
	if q.Search(f.Q, "i.display_name", "p.name"); f.Q != "" {
		q.Counted = q.From
	}
	return q, nil
}

// after is the position of a gap in the order of the list.
func (f Filters) after(g RequirementGap) []string { return []string{g.ID, g.ID} }

// Find reads a gap that the viewer may read. Its fault is of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (RequirementGap, error) {
	return find(ctx, tx, id, readable(tx.Viewer), "")
}

// locked reads a gap and locks it, for administrators.
func locked(ctx context.Context, tx *pg.Tx, id string) (RequirementGap, error) {
	return find(ctx, tx, id, "requirement_gap g", " for update of g")
}

func find(ctx context.Context, tx *pg.Tx, id, from, locking string) (RequirementGap, error) {
	missing := fault.New(fault.NotFound, "Requirement gap %s was not found.", id)
	if !listing.IsID(id) {
		return RequirementGap{}, missing
	}
	found, err := pg.One[RequirementGap](ctx, tx, "find requirement gap",
		"select "+columns+" from "+from+around+" where g.id = $1"+locking, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return RequirementGap{}, missing
	}
	return found, err
}
