package change

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// timelineEntry is something that happened, on its way into the timeline.
type timelineEntry struct {
	RequestID string         `json:"request_id"`
	ItemID    *string        `json:"item_id"`
	Event     string         `json:"event"`
	By        decision.Actor `json:"by"`
	Detail    string         `json:"detail"`
}

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
	if _, err := tx.Exec(ctx, sql, string(text)); err != nil {
		return fmt.Errorf("write timeline: %w", err)
	}
	return nil
}
