package accessrequest

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Columns are the columns of an AccessRequest from access_request r.
const Columns = `r.id::text, r.number, r.requested_for::text,
	(select jsonb_build_object('id', b.id, 'display', b.display_name) from identity b
	where b.id = r.requested_for) as beneficiary, r.requested_by, r.requester_id::text, r.requester_actor::text,
	r.justification, r.external_reference, r.kind, r.urgency, r.form_answers, r.approvers::text[], r.status,
	r.reason_code, r.told, r.preview, r.expires_at, r.submitted_at, r.approved_at, r.rejected_at, r.fulfilled_at,
	    r.closed_at, r.updated_at, r.version`

const itemColumns = `i.id::text, i.request_id::text, i.beneficiary_id::text, i.kind, i.role_id::text,
	i.entitlement_id::text, i.account_id::text, i.display, i.risk_level, i.privileged, i.parameters, i.status,
	i.duration, i.starts_at, i.ends_at, i.longest, i.limits, i.plan, i.decision, i.decision_code, i.decision_reason,
	    i.decided_at, i.decided_by, i.target_item_id::text, i.extended_from, i.given, i.fulfilment, i.review,
	    i.updated_at`

// VisibleTo returns the source of the requests that a viewer may see, as r. It uses the argument actor.
func VisibleTo(v viewer.Viewer) string {
	if v.SeesAll() {
		return "(select * from access_request where (select sees_all())) r"
	}
	return "visible_request(nullif(@actor, '')::uuid) r"
}

// Find returns a request that the viewer may see, with its items and comments; a fault of kind NotFound if there is
// none.
func Find(ctx context.Context, tx *pg.Tx, id string) (AccessRequest, error) {
	missing := fault.New(fault.NotFound, "Request %s was not found.", id)
	if !listing.IsID(id) {
		return AccessRequest{}, missing
	}
	found, err := ReadRequests(
		ctx,
		tx,
		`select `+Columns+` from `+VisibleTo(tx.Viewer)+` where r.id = @id`,
		pgx.NamedArgs{"id": id, "actor": tx.Viewer.ID},
	)
	if err != nil {
		return AccessRequest{}, err
	}
	if len(found) == 0 {
		return AccessRequest{}, missing
	}
	if err := Complete(ctx, tx, found); err != nil {
		return AccessRequest{}, err
	}
	found[0].Comments, err = comments(ctx, tx, &found[0])
	return found[0], err
}

// ReadRequests returns the requests that sql selects with Columns, without their items.
func ReadRequests(ctx context.Context, tx *pg.Tx, sql string, args pgx.NamedArgs) ([]AccessRequest, error) {
	return pg.All[AccessRequest](ctx, tx, "read requests", sql, args)
}

// ReadItems returns the items that satisfy where, in the order of their requests and positions.
func ReadItems(ctx context.Context, tx *pg.Tx, where string, args ...any) ([]AccessRequestItem, error) {
	return pg.All[AccessRequestItem](
		ctx,
		tx,
		"read items of requests",
		`select `+itemColumns+` from access_request_item i where `+where+` order by i.request_id, i.position`,
		args...)
}
