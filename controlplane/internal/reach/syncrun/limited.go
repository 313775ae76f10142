package syncrun

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// findLimited lets a limited run continue where the one before it stopped, so that limited runs together read
// everything. The run before must be the connector's last that changed anything, have been asked for the same with the
// same settings, and be in the store as a whole: what was set aside or not released is read again. A preview shows
// what a reading from the start would do.
func (w *work) findLimited(ctx context.Context, tx *pg.Tx) error {
	if w.maxRecords == nil || w.preview {
		return nil
	}
	const sql = `
		with before as (
		    select *
		      from sync_run
		     where tenant_id = current_tenant()
		       and connector_id = $1
		       and id <> $2
		       and purpose = 'apply'
		       and status in ('succeeded', 'partial', 'held', 'discarded', 'expired')
		     order by created_at desc, id desc
		     limit 1
		)
		select b.id, b.checkpoint
		  from before b
		 where b.max_records is not null
		   and b.status in ('succeeded', 'partial')
		   and b.read_ended
		   and b.checkpoint is not null
		   and b.settings_digest = $3
		   and b.read_as = $4
		   and coalesce((b.counters ->> 'skipped')::bigint, 0) = 0
		   and not exists (
		        select from sync_hold h
		         where h.tenant_id = b.tenant_id and h.run_id = b.id and h.state <> 'released')`
	err := tx.QueryRow(ctx, sql, w.connector, w.id, w.settings, encode(w.ask)).Scan(&w.continues, &w.checkpoint)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("find the limited run before: %w", err)
	}
	return nil
}
