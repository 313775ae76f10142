package violation

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// columns are the columns of Violation.
const columns = `v.id, v.state, v.severity, v.grade, v.conflict, v.detected_by, v.first_seen_at, v.last_seen_at,
	v.remediated_at, v.resolution, v.reopened_at, v.reopened_count, v.false_positive, v.remediation,
	v.automatic_revocation, v.updated_at, v.version,
	jsonb_build_object('id', v.identity_id, 'display', coalesce(i.display_name, '')) as identity,
	case when v.assignee_id is not null
	     then jsonb_build_object('id', v.assignee_id, 'display', coalesce(a.display_name, '')) end as assignee,
	(select jsonb_build_object('id', m.id, 'control', coalesce(c.name, ''), 'state', m.state, 'ends_at', m.ends_at)
	   from mitigation m
	   left join mitigating_control c on c.id = m.control_id
	  where m.identity_id = v.identity_id
	    and m.policy_id = v.policy_id
	    and m.sides in ('', v.sides)
	  order by mitigating(m.state) desc, m.state = 'proposed' desc, m.id desc
	  limit 1) as mitigation,
	(select jsonb_build_object('id', e.id, 'request_id', q.id,
	                           'number', 'REQ-' || lpad(q.number::text, greatest(6, length(q.number::text)), '0'),
	                           'rule', e.rule_name, 'approved_by', e.approved_by, 'approved_at', e.approved_at,
	                           'justification', q.justification, 'ends_at', x.ends_at,
	                           'covers', coalesce(e.id = exception_covering(v.identity_id, v.policy_id, v.sides,
	                               v.severity, v.entitlement_ids), false))
	   from separation_exception e
	   join access_request_item x on x.id = e.item_id
	   join access_request q on q.id = x.request_id
	  where e.identity_id = v.identity_id
	    and e.policy_id = v.policy_id
	    and e.sides = v.sides
	    and exception_lasts(x.given, x.status)
	  order by e.id desc
	  limit 1) as exception`

const around = `
	left join identity i on i.id = v.identity_id
	left join identity a on a.id = v.assignee_id`

// readable is the table of the violations that a viewer may read.
func readable(v viewer.Viewer) string {
	if v.SeesAll() {
		return "violation v"
	}
	return "visible_violation() v"
}

// CountOpenSQL is the SQL of the number of open violations that a viewer may read.
func CountOpenSQL(v viewer.Viewer) string {
	return `select count(*) from ` + readable(v) + ` where v.state = 'open'`
}

// rank orders severities.
const rank = "array_position(array['low', 'medium', 'high', 'critical'], v.severity)"

var severities = map[string]int{"low": 1, "medium": 2, "high": 3, "critical": 4}

// Filters narrow a list of violations; each one given must hold.
type Filters struct {
	// Violations of the policy.
	PolicyID string `query:"policy_id" format:"uuid"`
	// Violations by the person.
	IdentityID string `query:"identity_id" format:"uuid"`
	// Violations that an entitlement is part of.
	EntitlementID string `query:"entitlement_id" format:"uuid"`
	// Violations that the person takes care of.
	AssigneeID string `query:"assignee_id" format:"uuid"`
	// Violations in one of these states. Separate values with commas.
	State []string `query:"state" enum:"open,mitigated,false_positive,remediated"`
	// Violations of one of these severities. Separate values with commas.
	Severity []string `query:"severity" enum:"low,medium,high,critical"`
	// Violations of one of these grades. Separate values with commas.
	Grade []string `query:"grade" enum:"latent,potential,exercised_one,exercised_both,inside_role"`
	// Words in the names of the person and the policy. All must match; case, accents and order do not matter.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending.
	Sort string `query:"sort" default:"-first_seen_at" enum:"first_seen_at,severity,-first_seen_at,-severity"`
}

var orders = map[string]listing.Order{
	"first_seen_at": {Column: "v.id", Type: "uuid"}, // ids rise with the time of creation
	"severity":      {Column: rank, Type: "int"},
}

// query is the list of the violations that a viewer may read.
func (f Filters) query(v viewer.Viewer) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: readable(v) + around, Counted: readable(v), ID: "v.id", Order: order}
	for column, value := range map[string]string{"policy_id": f.PolicyID, "identity_id": f.IdentityID,
		"assignee_id": f.AssigneeID} {
		if value != "" {
			q.Where("v."+column+" = @"+column+"::uuid", pgx.NamedArgs{column: value})
		}
	}
	if f.EntitlementID != "" {
		q.Where("@entitlement_id::uuid = any(v.entitlement_ids)", pgx.NamedArgs{"entitlement_id": f.EntitlementID})
	}
	for column, values := range map[string][]string{"state": f.State, "severity": f.Severity, "grade": f.Grade} {
		if len(values) > 0 {
			q.Where("v."+column+" = any(@"+column+")", pgx.NamedArgs{column: values})
		}
	}
	if q.Search(f.Q, "i.display_name", "v.conflict -> 'policy' ->> 'name'"); f.Q != "" {
		q.Counted = q.From
	}
	return q, nil
}

// After is the position of a violation in the order of the list.
func (f Filters) After(v Violation) []string {
	if f.Sort == "severity" || f.Sort == "-severity" {
		return []string{strconv.Itoa(severities[v.Severity]), v.ID}
	}
	return []string{v.ID, v.ID}
}

// Find reads a violation that the viewer may read. Its fault is of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (Violation, error) {
	return find(ctx, tx, id, readable(tx.Viewer), "")
}

// Locked reads a violation and locks it, for administrators.
func Locked(ctx context.Context, tx *pg.Tx, id string) (Violation, error) {
	return find(ctx, tx, id, "violation v", " for update of v")
}

func find(ctx context.Context, tx *pg.Tx, id, from, locking string) (Violation, error) {
	missing := fault.New(fault.NotFound, "Violation %s was not found.", id)
	if !listing.IsID(id) {
		return Violation{}, missing
	}
	found, err := pg.One[Violation](ctx, tx, "find violation",
		"select "+columns+" from "+from+around+" where v.id = $1"+locking, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return Violation{}, missing
	}
	if err != nil {
		return Violation{}, err
	}
	one := []Violation{found}
	err = hide(ctx, tx, one)
	return one[0], err
}

// hide leaves out what the viewer may not see of violations: who reads one as the owner of an entitlement, and not as
// the manager of the person, reads of what they own.
func hide(ctx context.Context, tx *pg.Tx, list []Violation) error {
	if tx.Viewer.SeesAll() || len(list) == 0 {
		return nil
	}
	managed, err := pg.All[string](ctx, tx, "read reports", `select id::text from managed_identity()`)
	if err != nil {
		return err
	}
	owned, err := pg.All[string](ctx, tx, "read owned entitlements", `select id::text from owned_entitlement()`)
	if err != nil {
		return err
	}
	reports, own := set(managed), set(owned)
	for i := range list {
		if !reports[list[i].Identity.ID] {
			list[i].restrict(own)
		}
	}
	return nil
}

func set(ids []string) map[string]bool {
	all := make(map[string]bool, len(ids))
	for _, id := range ids {
		all[id] = true
	}
	return all
}
