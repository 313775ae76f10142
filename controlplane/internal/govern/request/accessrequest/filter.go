package accessrequest

import (
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Filters narrow a list of requests; each one given must hold.
type Filters struct {
	// Several values, separated by commas.
	Status []string `query:"status" enum:"submitted,pending_approval,blocked,approved,rejected,cancelled,expired,scheduled,provisioning,fulfilled,partially_fulfilled,failed,closed"`
	// Those for this person.
	RequestedFor string `query:"requested_for" format:"uuid"`
	// Those that this person, user or service token has asked for.
	RequestedBy string `query:"requested_by" format:"uuid"`
	// Those about which this person is asked, or was.
	Approver string `query:"approver" format:"uuid"`
	// Those that ask for this role.
	RoleID string `query:"role_id" format:"uuid"`
	// Those that ask for this entitlement.
	EntitlementID string `query:"entitlement_id" format:"uuid"`
	// Those of this ticket, exactly.
	ExternalReference string `query:"external_reference" maxLength:"256"`
	// The one of this number, such as REQ-000123.
	Number string `query:"number" maxLength:"40"`
	// Several values, separated by commas.
	Kind []string `query:"kind" enum:"grant,extend,revoke,return"`
	// Requests of this urgency.
	Urgency string `query:"urgency" enum:"normal,emergency"`
	// Submitted at this instant or later.
	Since time.Time `query:"since"`
	// Submitted before this instant.
	Until time.Time `query:"until"`
	// Words to find in the number, the names of people and items, the justification or the reference. Case, accents and
	// word order are ignored.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending.
	Sort string `query:"sort" default:"-submitted_at" enum:"submitted_at,number,updated_at,expires_at,-submitted_at,-number,-updated_at,-expires_at"`
}

var orders = map[string]listing.Order{
	"submitted_at": {Column: "r.id", Type: "uuid"}, // ids rise with the time of submission
	"number":       {Column: "r.number", Type: "bigint"},
	"updated_at":   {Column: "r.updated_at", Type: "timestamptz"},
	"expires_at":   {Column: "coalesce(r.expires_at, 'infinity')", Type: "timestamptz"},
}

// Query returns the query of a list for a viewer.
func (f Filters) Query(v viewer.Viewer) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: Columns, From: "access_request r", ID: "r.id", Order: order}
	if q.Counted = VisibleTo(v); v.SeesAll() {
		q.From = q.Counted
	}
	q.Where("true", pgx.NamedArgs{"actor": v.ID})
	if len(f.Status) > 0 {
		q.Where("r.status = any(@status)", pgx.NamedArgs{"status": f.Status})
	}
	if len(f.Kind) > 0 {
		q.Where("r.kind = any(@kind)", pgx.NamedArgs{"kind": f.Kind})
	}
	q.Equal("r.urgency", "urgency", f.Urgency)
	q.Equal("r.requested_for::text", "requested_for", strings.ToLower(f.RequestedFor))
	q.Equal("r.external_reference", "external_reference", f.ExternalReference)
	if f.RequestedBy != "" {
		q.Where(
			"(r.requester_id = @requested_by::uuid or r.requester_actor = @requested_by::uuid)",
			pgx.NamedArgs{"requested_by": f.RequestedBy},
		)
	}
	if f.Approver != "" {
		q.Where(`r.id in (select (t.source ->> 'id')::uuid
			from decision_assignee a join decision_task t on t.id = a.task_id
			where a.identity_id = @approver::uuid and a.dropped_at is null and t.source ->> 'type' = 'access_request')`,
			pgx.NamedArgs{"approver": f.Approver})
	}
	for column, id := range map[string]string{"role_id": f.RoleID, "entitlement_id": f.EntitlementID} {
		if id != "" {
			q.Where(
				"r.id in (select i.request_id from access_request_item i where i."+column+" = @"+column+"::uuid)",
				pgx.NamedArgs{column: id},
			)
		}
	}
	if f.Number != "" {
		q.Where("r.number = @number", pgx.NamedArgs{"number": serialOf(f.Number)})
	}
	if !f.Since.IsZero() {
		q.Where("r.submitted_at >= @since", pgx.NamedArgs{"since": f.Since})
	}
	if !f.Until.IsZero() {
		q.Where("r.submitted_at < @until", pgx.NamedArgs{"until": f.Until})
	}
	q.Search(f.Q, "r.searched")
	return q, nil
}

// serialOf reads a number as people write it; one that is none belongs to nothing.
func serialOf(number string) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(number)), "REQ-"), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// After returns the position of a request in the order of the list.
func (f Filters) After(r AccessRequest) []string {
	switch strings.TrimPrefix(f.Sort, "-") {
	case "number":
		return []string{strconv.FormatInt(r.Serial, 10), r.ID}
	case "updated_at":
		return []string{r.UpdatedAt.Format(time.RFC3339Nano), r.ID}
	case "expires_at":
		if r.ExpiresAt == nil {
			return []string{"infinity", r.ID}
		}
		return []string{r.ExpiresAt.Format(time.RFC3339Nano), r.ID}
	}
	return []string{r.ID, r.ID}
}
