package position

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// FindLimited finds where the limited run before a run stopped, so that limited runs together read everything: its id,
// nil if there is none to continue, and its checkpoint. The run before must be the connector's last that changed
// anything, have been asked for the same with the same settings, and be in the store as a whole: what was set aside or
// not released is read again.
func FindLimited(
	ctx context.Context,
	tx *pg.Tx,
	connector, run string,
	settings []byte,
	asked string,
) (continues *string, checkpoint string, err error) {
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
	err = tx.QueryRow(ctx, sql, connector, run, settings, asked).Scan(&continues, &checkpoint)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, "", fmt.Errorf("find the limited run before: %w", err)
	}
	return continues, checkpoint, nil
}

// FirstLoad reports whether no run of the connector has brought anything into the store so far, and whether the store
// holds nothing of it at all.
func FirstLoad(ctx context.Context, tx *pg.Tx, connector string) (first, empty bool, err error) {
	const sql = `
		select not exists (select from sync_run where tenant_id = current_tenant() and connector_id = $1
		                      and status in ('succeeded', 'partial', 'held', 'discarded', 'expired')
		                          and purpose = 'apply' and max_records is null)
		   and not exists (select from sync_position where tenant_id = current_tenant() and connector_id = $1),
		       not exists (select from account where tenant_id = current_tenant() and connector_id = $1)
		   and not exists (select from identity_source where tenant_id = current_tenant() and connector_id = $1)
		   and not exists (select from entitlement where tenant_id = current_tenant() and connector_id = $1)`
	if err := tx.QueryRow(ctx, sql, connector).Scan(&first, &empty); err != nil {
		return false, false, fmt.Errorf("look for earlier runs: %w", err)
	}
	return first, empty, nil
}
