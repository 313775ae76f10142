package change

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Extension is an approved request for more time.
type Extension struct {
	of   *accessrequest.AccessRequest
	item *accessrequest.AccessRequestItem
}

// extend moves the ends of what is extended, and shows it where it was asked for at first. When the access has ended
// while people were deciding, the extension has failed, and says so.
func (b *Set) extend(ctx context.Context, tx *pg.Tx) error {
	for _, e := range b.extensions {
		until := *e.item.EndsAt
		err := fulfil.Extend(ctx, tx, *e.item.TargetItemID, until)
		switch {
		case fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound):
			reason := err.Error()
			e.item.Status, e.item.DecisionReason = accessrequest.Failed, &reason
			b.Note(e.of, e.item, accessrequest.Failed, e.item.Display+": "+reason)
			continue
		case err != nil:
			return err
		}
		e.item.Status = accessrequest.Fulfilled
		if e.item.ExtendedFrom, err = showExtension(
			ctx,
			tx,
			*e.item.TargetItemID,
			until,
			e.of.Number,
			b.Actor,
		); err != nil {
			return err
		}
		detail := e.item.Display + " is extended until " + until.UTC().Format(time.RFC3339)
		if e.item.ExtendedFrom != nil {
			detail += "; it was to end at " + e.item.ExtendedFrom.UTC().Format(time.RFC3339)
		}
		b.Note(e.of, e.item, "extended", detail)
		b.Audit(e.of, accessrequest.AuditExtended, e.item, e.of.Justification)
	}
	return nil
}

// showExtension writes the new end at the item that gave the access, and gives the end before; nil: it was not known
// yet.
func showExtension(
	ctx context.Context,
	tx *pg.Tx,
	itemID string,
	until time.Time,
	number string,
	by decision.Actor,
) (before *time.Time, err error) {
	const sql = `
		with old as (
		    select o.tenant_id, o.id, o.ends_at from access_request_item o where o.id = $1 for update
		), moved as (
		    update access_request_item i
		       set ends_at = $2, duration = null, updated_at = now()
		      from old o
		     where i.tenant_id = o.tenant_id
		       and i.id = o.id
		    returning i.request_id, i.id, i.display
		), changed as (
		    update access_request r
		       set updated_at = now(), version = r.version + 1
		      from moved m
		     where r.id = m.request_id
		), noted as (
		    insert into access_request_event (tenant_id, request_id, item_id, event, by, detail)
		    select current_tenant(), m.request_id, m.id, 'extended', $3,
		        m.display || ' is extended until ' || $4 || ' by ' || $5
		      from moved m
		)
		select ends_at from old`
	if err := tx.QueryRow(ctx, sql, itemID, until, by, until.UTC().Format(time.RFC3339), number).
		Scan(&before); err != nil {
		return nil, fmt.Errorf("show extension: %w", err)
	}
	return before, nil
}
