package breaker

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// announce publishes that writing to a system has stopped, or goes on: why and since when it was stopped. The caller
// has changed the breaker in the same transaction, so that the events of one connector come in the order in which this
// happened.
func announce(ctx context.Context, tx *pg.Tx, kind event.Kind, connector, why string, since time.Time) error {
	const sql = `
		select c.name,
		       (select count(*) from provisioning_task t where t.connector_id = c.id
		           and t.state in ('queued', 'retrying'))
		  from connector c
		 where c.id::text = lower($1)`
	var name string
	var waiting int64
	if err := tx.QueryRow(ctx, sql, connector).Scan(&name, &waiting); err != nil {
		return fmt.Errorf("announce %s: %w", kind, err)
	}
	id := strings.ToLower(connector)
	data := map[string]any{"connector_id": id, "name": name, "reason": why, "since": since.UTC(), "waiting": waiting}
	return event.Publish(
		ctx,
		tx,
		event.Event{Kind: kind, Resource: event.Resource{Type: "connector", ID: id}, Data: data},
	)
}
