package change

import (
	"context"
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// timelineEntry is something that happened, on its way into the timeline.
type timelineEntry struct {
	// ID of the request.
	RequestID string `json:"request_id"`
	// ID of the item. Nil: the whole request.
	ItemID *string `json:"item_id"`
	// Name of the event, as the API lists it.
	Event string `json:"event"`
	// User, service token or system that caused the event.
	By decision.Actor `json:"by"`
	// Further text, such as a comment.
	Detail string `json:"detail"`
}

// writeTimeline inserts the entries in their order. Their time is the clock's and not the
// transaction's, so that steps of one transaction can be told apart.
func writeTimeline(ctx context.Context, tx *pg.Tx, entries []timelineEntry) error {
	if len(entries) == 0 {
		return nil
	}
	const sql = `
		insert into access_request_event (tenant_id, request_id, item_id, at, event, by, detail)
		select current_tenant(), (e ->> 'request_id')::uuid, (e ->> 'item_id')::uuid, clock_timestamp(), e ->> 'event',
		    e -> 'by', e ->> 'detail'
		  from jsonb_array_elements($1::jsonb) with ordinality x (e, n)
		 order by x.n`
	text, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "write timeline", sql, string(text))
}
