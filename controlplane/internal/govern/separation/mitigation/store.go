package mitigation

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// columns are the columns of Mitigation.
const columns = `m.id, m.sides, m.violation_id, m.request_id, m.state, m.severity, m.justification, m.duration,
	m.requested_by, m.requested_at, m.decided_by, m.decided_at, m.decided_reason, m.starts_at, m.ends_at, m.due_at,
	m.lapses_at, m.reminded_at, m.end_told_at, m.end_agreed_at, m.ended_at, m.ended_reason, m.lapse_effect,
	m.renewal_of_id, m.updated_at, m.version,
	jsonb_build_object('id', m.control_id, 'display', coalesce(c.name, '')) as control,
	jsonb_build_object('id', m.policy_id, 'display', coalesce(p.name, '')) as policy,
	jsonb_build_object('id', m.identity_id, 'display', coalesce(i.display_name, '')) as identity,
	jsonb_build_object('id', m.owner_id, 'display', coalesce(o.display_name, '')) as owner`

const around = `
	left join mitigating_control c on c.id = m.control_id
	left join separation_policy p on p.id = m.policy_id
	left join identity i on i.id = m.identity_id
	left join identity o on o.id = m.owner_id`

// readable is the table of the mitigations that a viewer may read.
func readable(v viewer.Viewer) string {
	if v.SeesAll() {
		return "mitigation m"
	}
	return "visible_mitigation() m"
}

// Filters narrow a list of mitigations; each one given must hold.
type Filters struct {
	// Applications of the control.
	ControlID string `query:"mitigation_policy_id" format:"uuid"`
	// Mitigations of violations by the person.
	IdentityID string `query:"identity_id" format:"uuid"`
	// Mitigations of violations of the separation-of-duties policy.
	PolicyID string `query:"policy_id" format:"uuid"`
	// Mitigations that were proposed for the violation.
	ViolationID string `query:"violation_id" format:"uuid"`
	// Mitigations that the access request proposed.
	RequestID string `query:"access_request_id" format:"uuid"`
	// Mitigations that the person carries out.
	OwnerID string `query:"owner_id" format:"uuid"`
	// Mitigations in this state.
	State string `query:"state" enum:"proposed,active,evidence_due,evidence_overdue,lapsed,expired,withdrawn,refused,replaced,resolved"`
	// A leading - is descending.
	Sort string `query:"sort" default:"-requested_at" enum:"requested_at,-requested_at"`
}

var orders = map[string]listing.Order{
	"requested_at": {Column: "m.id", Type: "uuid"}, // ids rise with the time of creation
}

// query is the list of the mitigations that a viewer may read.
func (f Filters) query(v viewer.Viewer) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: readable(v) + around, Counted: readable(v), ID: "m.id", Order: order}
	for column, value := range map[string]string{"control_id": f.ControlID, "identity_id": f.IdentityID,
		"policy_id": f.PolicyID, "violation_id": f.ViolationID, "request_id": f.RequestID, "owner_id": f.OwnerID} {
		if value != "" {
			q.Where("m."+column+" = @"+column+"::uuid", pgx.NamedArgs{column: value})
		}
	}
	q.Equal("m.state", "state", f.State)
	return q, nil
}

// After is the position of a mitigation in the order of the list.
func (f Filters) After(m Mitigation) []string { return []string{m.ID, m.ID} }

// Find reads a mitigation that the viewer may read. Its fault is of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (Mitigation, error) {
	return find(ctx, tx, id, readable(tx.Viewer), "")
}

// Locked reads a mitigation that the viewer may read, and locks it.
func Locked(ctx context.Context, tx *pg.Tx, id string) (Mitigation, error) {
	if _, err := Find(ctx, tx, id); err != nil {
		return Mitigation{}, err
	}
	return find(ctx, tx, id, "mitigation m", " for update of m")
}

func find(ctx context.Context, tx *pg.Tx, id, from, locking string) (Mitigation, error) {
	missing := fault.New(fault.NotFound, "Mitigation %s was not found.", id)
	if !listing.IsID(id) {
		return Mitigation{}, missing
	}
	found, err := pg.One[Mitigation](ctx, tx, "find mitigation",
		"select "+columns+" from "+from+around+" where m.id = $1"+locking, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, missing
	}
	return found, err
}

// zone is the time zone of the tenant.
func zone(ctx context.Context, tx *pg.Tx) (*time.Location, error) {
	const sql = `select coalesce(nullif(settings ->> 'timezone', ''), 'UTC') from tenant where id = current_tenant()`
	name, err := pg.One[string](ctx, tx, "read time zone", sql)
	if err != nil {
		return nil, err
	}
	at, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC, nil
	}
	return at, nil
}
