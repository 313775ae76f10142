package event

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Kept is how long events are kept, and so how far back they can be sent again.
const Kept = 30 * 24 * time.Hour

// Stored is an event as it was written.
type Stored struct {
	ID           string          `db:"id"`
	Kind         Kind            `db:"kind"`
	ResourceType string          `db:"resource_type"`
	ResourceID   string          `db:"resource_id"`
	Sequence     int64           `db:"sequence"` // counts the events of the resource
	Version      *int            `db:"version"`
	Changed      []string        `db:"changed"`
	Data         json.RawMessage `db:"data"`
	At           time.Time       `db:"at"`
}

// Columns of a Stored, from event e.
const Columns = `e.id::text, e.kind, e.resource_type, e.resource_id::text, e.sequence, e.version, e.changed, e.data,
	e.at`

// Want says which kinds a listener of the transaction's tenant wants from now on, in place of what it wanted before.
func Want(ctx context.Context, tx *pg.Tx, listener string, kinds ...Kind) error {
	var b pgx.Batch
	b.Queue(
		`delete from event_wish where tenant_id = current_tenant() and listener = $1 and kind <> all($2)`,
		listener,
		names(kinds),
	)
	b.Queue(`
		insert into event_wish (tenant_id, listener, kind)
		select current_tenant(), $1, kind
		  from unnest($2::text[]) kind
		    on conflict do nothing`, listener, names(kinds))
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("want events: %w", err)
	}
	return nil
}

// Take fetches up to limit events that the listener has not heard of, the oldest first, and marks them as heard when
// the transaction commits. Nothing is taken while another transaction of the same listener and tenant takes: two at
// once could turn the order of a resource's events around. What commits late is found whenever it comes: rows are
// taken, not positions.
func Take(ctx context.Context, tx *pg.Tx, listener string, limit int) ([]Stored, error) {
	const turn = `select pg_try_advisory_xact_lock(hashtextextended('event ' || $1 || ' ' || current_tenant()::text,
		0))`
	var mine bool
	if err := tx.QueryRow(ctx, turn, listener).Scan(&mine); err != nil || !mine {
		return nil, err
	}
	const sql = `
		with taken as (
			delete from event_due
			 where tenant_id = current_tenant()
			   and listener = $1
			   and n in (select n from event_due where tenant_id = current_tenant() and listener = $1 order by n
			       limit $2)
			returning n, event_id)
		select ` + Columns + `
		  from taken
		  join event e
		    on e.tenant_id = current_tenant()
		   and e.id = taken.event_id
		 order by taken.n`
	return pg.All[Stored](ctx, tx, "take events", sql, listener, limit)
}

// Waiting lists the active tenants that have events for a listener. A tenant that is suspended or closing waits.
func Waiting(ctx context.Context, db *pg.DB, listener string) (tenants []string, err error) {
	const sql = `
		select t.id::text
		  from tenant t
		 where t.status = 'active'
		   and exists (select from event_due d where d.tenant_id = t.id and d.listener = $1)`
	tenants, err = pg.FindAcross(ctx, db, pgx.RowTo[string], sql, listener)
	if err != nil {
		return nil, fmt.Errorf("look for events: %w", err)
	}
	return tenants, nil
}

// Purge deletes the tenant's events that are older than Kept, except those that a listener has still to take.
func Purge(ctx context.Context, tx *pg.Tx) (int64, error) {
	const sql = `
		delete from event e
		 where e.tenant_id = current_tenant()
		   and e.at < now() - make_interval(secs => $1)
		   and not exists (select from event_due d where d.tenant_id = e.tenant_id and d.event_id = e.id)`
	tag, err := tx.Exec(ctx, sql, Kept.Seconds())
	if err != nil {
		return 0, fmt.Errorf("delete old events: %w", err)
	}
	return tag.RowsAffected(), nil
}
